package command

import (
	"runtime/debug"
)

// sbom is what the command is built of, as CycloneDX has it.
type sbom struct {
	BOMFormat   string `json:"bomFormat"`
	SpecVersion string `json:"specVersion"`
	Version     int    `json:"version"`
	Metadata    struct {
		Component component `json:"component"`
	} `json:"metadata"`
	Components []component `json:"components"`
}

type component struct {
	Type       string     `json:"type"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// materials is the list by what the Go toolchain has written into the binary; the sums are those
// of go.sum.
func materials(info *debug.BuildInfo) sbom {
	of := func(kind string, m *debug.Module) component {
		c := component{Type: kind, Name: m.Path, Version: m.Version, PURL: "pkg:golang/" + m.Path + "@" + m.Version}
		if m.Sum != "" {
			c.Properties = []property{{"go.sum", m.Sum}}
		}
		return c
	}
	out := sbom{BOMFormat: "CycloneDX", SpecVersion: "1.5", Version: 1, Components: []component{}}
	out.Metadata.Component = of("application", &info.Main)
	out.Components = append(out.Components, component{Type: "library", Name: "std", Version: info.GoVersion, PURL: "pkg:golang/std@" + info.GoVersion})
	for _, m := range info.Deps {
		out.Components = append(out.Components, of("library", m))
	}
	return out
}
