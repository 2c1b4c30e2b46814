package gcs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/omnizarr/zarr/internal/bearer"
	"github.com/omnizarr/zarr/internal/remote"
)

const (
	tokenServer = "https://oauth2.googleapis.com/token"
	scope       = "https://www.googleapis.com/auth/devstorage.read_write"
	// maxFile is the largest file of credentials that is read.
	maxFile = 1 << 20
)

// finder gets tokens by what it finds in the environment, in the order in which Google's
// programs look.
type finder struct{ client, near *remote.Client }

func newFinder(opt remote.Options) *finder {
	return &finder{bearer.Client(opt), bearer.Metadata(opt)}
}

func (f *finder) token(ctx context.Context) (bearer.Token, error) {
	if path := os.Getenv("GOOGLE_APPLICATION_CREDENTIALS"); path != "" {
		t, err := f.file(ctx, path)
		if err != nil {
			err = fmt.Errorf("GOOGLE_APPLICATION_CREDENTIALS: %w", err)
		}
		return t, err
	}
	if path := gcloudFile(); path != "" {
		if _, err := os.Stat(path); err == nil {
			return f.file(ctx, path)
		}
	}
	t, err := f.metadata(ctx)
	if ctx.Err() != nil {
		return t, ctx.Err()
	}
	return t, err
}

// gcloudFile is where "gcloud auth application-default login" leaves credentials.
func gcloudFile() string {
	dir := os.Getenv("CLOUDSDK_CONFIG")
	if dir == "" && runtime.GOOS == "windows" {
		dir = filepath.Join(os.Getenv("APPDATA"), "gcloud")
	} else if dir == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(home, ".config", "gcloud")
	}
	return filepath.Join(dir, "application_default_credentials.json")
}

var errNone = errors.New("none were found: set GOOGLE_APPLICATION_CREDENTIALS to a file of them, " +
	"run \"gcloud auth application-default login\", or add ?anonymous=true to the URL of a public bucket")

// metadata asks the server that machines at Google have.
func (f *finder) metadata(ctx context.Context) (bearer.Token, error) {
	host := os.Getenv("GCE_METADATA_HOST")
	known := host != ""
	if !known {
		if host = "169.254.169.254"; !bearer.Near(ctx, host+":80") {
			return bearer.Token{}, errNone
		}
	}
	t, err := bearer.Ask(ctx, f.near, func(ctx context.Context, _ string) (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/computeMetadata/v1/instance/service-accounts/default/token", nil)
		if err == nil {
			r.Header.Set("Metadata-Flavor", "Google")
		}
		return r, err
	})
	if err != nil && !known {
		return t, errNone
	} else if err != nil {
		err = fmt.Errorf("metadata server: %w", err)
	}
	return t, err
}

// file gets a token by a file of credentials, which is read anew each time: others may
// replace it.
func (f *finder) file(ctx context.Context, path string) (bearer.Token, error) {
	raw, err := readFile(path)
	if err != nil {
		return bearer.Token{}, err
	}
	t, err := f.by(ctx, raw, 0)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return t, err
}

func readFile(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	if err == nil && fi.Size() > maxFile {
		err = fmt.Errorf("%s: too large for a file of credentials", path)
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// by gets a token by credentials as Google spells them.
func (f *finder) by(ctx context.Context, raw []byte, depth int) (bearer.Token, error) {
	var c struct {
		Type         string
		ClientID     string          `json:"client_id"`
		ClientSecret string          `json:"client_secret"`
		RefreshToken string          `json:"refresh_token"`
		TokenURI     string          `json:"token_uri"`
		Source       json.RawMessage `json:"source_credentials"`
		Impersonate  string          `json:"service_account_impersonation_url"`
	}
	if json.Unmarshal(raw, &c) != nil {
		return bearer.Token{}, errors.New("no credentials in JSON")
	}
	switch c.Type {
	case "service_account":
		return f.serviceAccount(ctx, raw)
	case "authorized_user":
		if c.TokenURI == "" {
			c.TokenURI = tokenServer
		}
		return bearer.Post(ctx, f.client, c.TokenURI, url.Values{
			"grant_type": {"refresh_token"}, "client_id": {c.ClientID}, "client_secret": {c.ClientSecret}, "refresh_token": {c.RefreshToken},
		})
	case "external_account":
		t, err := f.external(ctx, raw)
		if err == nil && c.Impersonate != "" {
			t, err = f.impersonate(ctx, c.Impersonate, t)
		}
		return t, err
	case "impersonated_service_account":
		if depth > 0 {
			return bearer.Token{}, errors.New("impersonated_service_account by another one")
		}
		t, err := f.by(ctx, c.Source, depth+1)
		if err == nil {
			t, err = f.impersonate(ctx, c.Impersonate, t)
		}
		return t, err
	case "":
		return bearer.Token{}, errors.New(`credentials without a "type"`)
	}
	return bearer.Token{}, fmt.Errorf("credentials of type %q are not known, only service_account, authorized_user, "+
		"external_account and impersonated_service_account", c.Type)
}

// impersonate exchanges a token for one of a service account.
func (f *finder) impersonate(ctx context.Context, to string, t bearer.Token) (bearer.Token, error) {
	if err := bearer.Safe(to); err != nil {
		return bearer.Token{}, err
	}
	ask, _ := json.Marshal(map[string]any{"scope": []string{scope}})
	return bearer.Ask(ctx, f.client, func(ctx context.Context, _ string) (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(ask))
		if err == nil {
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", bearerPrefix+t.Value)
		}
		return r, err
	})
}

// external exchanges the token of another provider, from a file or a URL, for Google's.
func (f *finder) external(ctx context.Context, raw []byte) (bearer.Token, error) {
	var c struct {
		Audience  string
		TokenType string `json:"subject_token_type"`
		TokenURL  string `json:"token_url"`
		Source    struct {
			File        string
			URL         string
			Headers     map[string]string
			Environment string `json:"environment_id"`
			Executable  json.RawMessage
			Format      struct {
				Type  string
				Field string `json:"subject_token_field_name"`
			}
		} `json:"credential_source"`
	}
	if json.Unmarshal(raw, &c) != nil {
		return bearer.Token{}, errors.New("no credentials in JSON")
	}
	var subject []byte
	var err error
	switch from := c.Source; {
	case from.Environment != "":
		return bearer.Token{}, fmt.Errorf("external_account by the keys of %s is not supported, only by a file or a URL", from.Environment)
	case len(from.Executable) > 0:
		return bearer.Token{}, errors.New("external_account by a program is not supported, only by a file or a URL")
	case from.File != "":
		subject, err = readFile(from.File)
	case from.URL != "":
		var a *remote.Answer
		a, err = f.client.Do(ctx, func(ctx context.Context, _ string) (*http.Request, error) {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, from.URL, nil)
			for name, v := range from.Headers {
				if err == nil {
					r.Header.Set(name, v)
				}
			}
			return r, err
		}, maxFile)
		if err == nil {
			subject = a.Body
		}
	default:
		err = errors.New("external_account without a credential_source")
	}
	if err != nil {
		return bearer.Token{}, err
	}
	if c.Source.Format.Type == "json" {
		var members map[string]any
		if json.Unmarshal(subject, &members) != nil {
			return bearer.Token{}, errors.New("the credential_source gives no JSON")
		}
		text, _ := members[c.Source.Format.Field].(string)
		subject = []byte(text)
	}
	if len(bytes.TrimSpace(subject)) == 0 {
		return bearer.Token{}, errors.New("the credential_source gives no token")
	}
	return bearer.Post(ctx, f.client, c.TokenURL, url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "requested_token_type": {"urn:ietf:params:oauth:token-type:access_token"},
		"audience": {c.Audience}, "subject_token_type": {c.TokenType}, "subject_token": {strings.TrimSpace(string(subject))},
		"scope": {"https://www.googleapis.com/auth/cloud-platform"},
	})
}
