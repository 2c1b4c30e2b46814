package azblob

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/omnizarr/zarr/internal/bearer"
	"github.com/omnizarr/zarr/internal/remote"
)

const (
	resource  = "https://storage.azure.com/"
	authority = "https://login.microsoftonline.com/"
)

// finder asks Entra ID for tokens, by what it finds in the environment, in the order in
// which Azure's programs look.
type finder struct{ client, near *remote.Client }

func newFinder(opt remote.Options) *finder {
	return &finder{bearer.Client(opt), bearer.Metadata(opt)}
}

var errNone = errors.New("none were found: set AZURE_STORAGE_KEY, AZURE_STORAGE_SAS_TOKEN or AZURE_STORAGE_CONNECTION_STRING, " +
	"or AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET, or add ?anonymous=true to the URL of a public container")

func (f *finder) token(ctx context.Context) (bearer.Token, error) {
	tenant, client := os.Getenv("AZURE_TENANT_ID"), os.Getenv("AZURE_CLIENT_ID")
	secret, file := os.Getenv("AZURE_CLIENT_SECRET"), os.Getenv("AZURE_FEDERATED_TOKEN_FILE")
	if secret != "" || file != "" {
		if tenant == "" || client == "" {
			return bearer.Token{}, errors.New("AZURE_TENANT_ID or AZURE_CLIENT_ID is not set, which AZURE_CLIENT_SECRET and AZURE_FEDERATED_TOKEN_FILE need")
		}
		form := url.Values{"grant_type": {"client_credentials"}, "client_id": {client}, "scope": {resource + ".default"}}
		if secret != "" {
			form.Set("client_secret", secret)
		} else {
			said, err := os.ReadFile(file) // which is replaced now and then
			if err != nil {
				return bearer.Token{}, fmt.Errorf("AZURE_FEDERATED_TOKEN_FILE: %w", err)
			}
			form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
			form.Set("client_assertion", strings.TrimSpace(string(said)))
		}
		host := first(os.Getenv("AZURE_AUTHORITY_HOST"), authority)
		t, err := bearer.Post(ctx, f.client, strings.TrimSuffix(host, "/")+"/"+url.PathEscape(tenant)+"/oauth2/v2.0/token", form)
		if err != nil {
			err = fmt.Errorf("asking Entra ID: %w", err)
		}
		return t, err
	}
	t, err := f.managed(ctx, client)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return t, err
}

// managed asks for a token of the machine's own identity.
func (f *finder) managed(ctx context.Context, client string) (bearer.Token, error) {
	q := url.Values{"resource": {resource}, "api-version": {"2018-02-01"}}
	at, name, v := os.Getenv("IDENTITY_ENDPOINT"), "Metadata", "true"
	known := at != ""
	if known {
		name, v = "X-Identity-Header", os.Getenv("IDENTITY_HEADER")
		q.Set("api-version", "2019-08-01")
	} else {
		if !bearer.Near(ctx, "169.254.169.254:80") {
			return bearer.Token{}, errNone
		}
		at = "http://169.254.169.254/metadata/identity/oauth2/token"
	}
	if client != "" {
		q.Set("client_id", client)
	}
	t, err := bearer.Ask(ctx, f.near, func(ctx context.Context, _ string) (*http.Request, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"?"+q.Encode(), nil)
		if err == nil {
			r.Header.Set(name, v)
		}
		return r, err
	})
	if err != nil && !known {
		return t, fmt.Errorf("%w (the machine's identity: %v)", errNone, err)
	} else if err != nil {
		err = fmt.Errorf("managed identity: %w", err)
	}
	return t, err
}
