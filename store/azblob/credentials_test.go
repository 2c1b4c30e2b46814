package azblob

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/omnizarr/zarr/internal/remote"
)

// TestCredentials goes through what Entra ID can be asked by.
func TestCredentials(t *testing.T) {
	var got url.Values
	var header string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		got, header = r.Form, r.Header.Get("X-Identity-Header")
		switch r.URL.Path {
		case "/tenant/oauth2/v2.0/token":
			fmt.Fprint(w, `{"token_type":"Bearer","expires_in":3599,"access_token":"a token"}`)
		case "/msi":
			fmt.Fprint(w, `{"access_token":"of the machine","expires_on":"4102444800","resource":"x"}`)
		default:
			w.WriteHeader(401)
			fmt.Fprint(w, `{"error":"invalid_client","error_description":"AADSTS7000215: Invalid client secret provided.\r\nTrace ID: 1"}`)
		}
	}))
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("from a file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		env    map[string]string
		form   map[string]string
		header string
		token  string
		err    string
	}{
		"secret": {env: map[string]string{"AZURE_TENANT_ID": "tenant", "AZURE_CLIENT_ID": "me", "AZURE_CLIENT_SECRET": "geheim"},
			form:  map[string]string{"grant_type": "client_credentials", "client_id": "me", "client_secret": "geheim", "scope": "https://storage.azure.com/.default"},
			token: "a token"},
		"workload identity": {env: map[string]string{"AZURE_TENANT_ID": "tenant", "AZURE_CLIENT_ID": "me", "AZURE_FEDERATED_TOKEN_FILE": file},
			form: map[string]string{"client_assertion": "from a file", "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}, token: "a token"},
		"workload identity without its file": {env: map[string]string{"AZURE_TENANT_ID": "tenant", "AZURE_CLIENT_ID": "me", "AZURE_FEDERATED_TOKEN_FILE": file + "x"},
			err: "AZURE_FEDERATED_TOKEN_FILE: "},
		"no tenant":      {env: map[string]string{"AZURE_CLIENT_ID": "me", "AZURE_CLIENT_SECRET": "geheim"}, err: "AZURE_TENANT_ID or AZURE_CLIENT_ID is not set"},
		"a wrong secret": {env: map[string]string{"AZURE_TENANT_ID": "other", "AZURE_CLIENT_ID": "me", "AZURE_CLIENT_SECRET": "geheim"}, err: "asking Entra ID: server answers 401: AADSTS7000215: Invalid client secret provided."},
		"managed identity": {env: map[string]string{"IDENTITY_ENDPOINT": server.URL + "/msi", "IDENTITY_HEADER": "geheim", "AZURE_CLIENT_ID": "me"},
			form: map[string]string{"client_id": "me", "resource": resource, "api-version": "2019-08-01"}, header: "geheim", token: "of the machine"},
		"no managed identity": {env: map[string]string{"IDENTITY_ENDPOINT": server.URL + "/none"}, err: "managed identity: server answers 401"},
	} {
		t.Run(name, func(t *testing.T) {
			noEnv(t)
			t.Setenv("AZURE_AUTHORITY_HOST", server.URL+"/")
			for name, v := range c.env {
				t.Setenv(name, v)
			}
			token, err := newFinder(remote.Options{Transport: transport}).token(t.Context())
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "geheim") || strings.ContainsAny(err.Error(), "\r\n") {
					t.Errorf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil || token.Value != c.token || token.Expires.IsZero() || header != c.header {
				t.Errorf("%+v, %v, header %q", token, err, header)
			}
			for name, want := range c.form {
				if got.Get(name) != want {
					t.Errorf("%s is %q, want %q", name, got.Get(name), want)
				}
			}
		})
	}
}
