package command

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is what the Go toolchain has written into the binary.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "development"
	}
	return info.Main.Version
}

func (a *app) versionCommand() *cobra.Command {
	var asSBOM bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  omnizarr version",
		Args:    names(),
		RunE: func(*cobra.Command, []string) error {
			if asSBOM {
				info, ok := debug.ReadBuildInfo()
				if !ok {
					return errors.New("this program was built without modules, and does not know what it is made of")
				}
				return a.printJSON(materials(info))
			}
			_, err := fmt.Fprintf(a.out, "omnizarr %s (%s, %s/%s)\n", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
	cmd.Flags().BoolVar(&asSBOM, "sbom", false, "print the modules that the program is built of, as CycloneDX JSON")
	return cmd
}
