package gcs

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/omnizarr/zarr/internal/remote"
	"github.com/omnizarr/zarr/store"
)

// tokens gives the numbers of its calls as tokens.
func tokens(n *int) func(context.Context) (string, time.Time, error) {
	return func(context.Context) (string, time.Time, error) {
		*n++
		return fmt.Sprintf("geheim-%d", *n), time.Time{}, nil
	}
}

// TestRefused wants a token that is refused to be replaced, and no token in errors.
func TestRefused(t *testing.T) {
	refused := map[string]bool{"Bearer geheim-1": true}
	f := &fake{wrong: func(w http.ResponseWriter, r *http.Request) bool {
		if refused[r.Header.Get("Authorization")] {
			w.WriteHeader(401)
			return true
		}
		return false
	}}
	made := 0
	s := f.open(t, Options{Token: tokens(&made)})
	if _, err := s.Put(t.Context(), "k", []byte("v"), store.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if wantValue(t, s, "k", []byte("v")); made != 2 {
		t.Errorf("%d tokens were asked for", made)
	}
	refused["Bearer geheim-2"] = true
	if wantValue(t, s, "k", []byte("v")); made != 3 {
		t.Errorf("%d tokens were asked for", made)
	}
	for n := range 20 {
		refused[fmt.Sprintf("Bearer geheim-%d", n)] = true
	}
	_, _, err := s.Get(t.Context(), "k", store.All(), nil)
	if err == nil || !strings.Contains(err.Error(), "401") || strings.Contains(err.Error(), "geheim") {
		t.Errorf("%v", err)
	}
}

// key is that of a service account.
func key(t *testing.T) (*rsa.PrivateKey, string) {
	t.Helper()
	k, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	return k, string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(k)}))
}

// TestCredentials goes through what can be found in the environment.
func TestCredentials(t *testing.T) {
	t.Setenv("GODEBUG", "rsa1024min=0")
	private, text := key(t)
	var form url.Values
	var auth string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.ParseForm()
		auth = r.Header.Get("Authorization") + r.Header.Get("Metadata-Flavor")
		switch r.URL.Path {
		case "/subject":
			fmt.Fprintf(w, `{"value":"%s"}`, r.Header.Get("X-Key"))
			return
		case "/impersonate":
			fmt.Fprintf(w, `{"accessToken":"of another","expireTime":"2100-01-01T00:00:00Z"}`)
			return
		case "/computeMetadata/v1/instance/service-accounts/default/token":
		case "/wrong":
			w.WriteHeader(400)
			fmt.Fprint(w, `{"error":"invalid_grant","error_description":"Token has been expired or revoked."}`)
			return
		case "/gone":
			w.WriteHeader(404)
			return
		default:
			form = r.PostForm
		}
		fmt.Fprintf(w, `{"access_token":"a token","expires_in":3599,"token_type":"Bearer"}`)
	}))
	defer server.Close()
	dir := t.TempDir()
	subject := filepath.Join(dir, "subject")
	os.WriteFile(subject, []byte("from a file\n"), 0o600)
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	at := server.URL
	for name, c := range map[string]struct {
		file  string            // what it holds, "" for none
		form  map[string]string // what the server is sent
		token string
		auth  string
		err   string
	}{
		"service account": {file: fmt.Sprintf(`{"type":"service_account","client_email":"me@x","private_key_id":"7","private_key":%q,"token_uri":%q}`, text, at+"/token"),
			form: map[string]string{"grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer"}, token: "a token"},
		"user": {file: fmt.Sprintf(`{"type":"authorized_user","client_id":"c","client_secret":"geheim","refresh_token":"r","token_uri":%q}`, at+"/token"),
			form: map[string]string{"grant_type": "refresh_token", "client_id": "c", "client_secret": "geheim", "refresh_token": "r"}, token: "a token"},
		"user that is gone": {file: fmt.Sprintf(`{"type":"authorized_user","client_secret":"geheim","token_uri":%q}`, at+"/wrong"),
			err: "server answers 400: Token has been expired or revoked."},
		"server of tokens that is not there": {file: fmt.Sprintf(`{"type":"authorized_user","token_uri":%q}`, at+"/gone"), err: "server answers 404"},
		"server of tokens without https":     {file: `{"type":"authorized_user","token_uri":"http://example.org/token"}`, err: "not https"},
		"external by a file": {file: fmt.Sprintf(`{"type":"external_account","audience":"aud","subject_token_type":"jwt","token_url":%q,"credential_source":{"file":%q}}`, at+"/sts", subject),
			form: map[string]string{"audience": "aud", "subject_token": "from a file", "subject_token_type": "jwt", "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange"}, token: "a token"},
		"external by a URL, for another account": {file: fmt.Sprintf(`{"type":"external_account","token_url":%q,"service_account_impersonation_url":%q,
			"credential_source":{"url":%q,"headers":{"X-Key":"by a URL"},"format":{"type":"json","subject_token_field_name":"value"}}}`, at+"/sts", at+"/impersonate", at+"/subject"),
			form: map[string]string{"subject_token": "by a URL"}, token: "of another", auth: "Bearer a token"},
		"external without a token": {file: fmt.Sprintf(`{"type":"external_account","token_url":%q,"credential_source":{"url":%q}}`, at+"/sts", at+"/gone"), err: "404"},
		"external by AWS":          {file: `{"type":"external_account","credential_source":{"environment_id":"aws1"}}`, err: "by the keys of aws1 is not supported"},
		"external by a program":    {file: `{"type":"external_account","credential_source":{"executable":{"command":"x"}}}`, err: "by a program is not supported"},
		"impersonated": {file: fmt.Sprintf(`{"type":"impersonated_service_account","service_account_impersonation_url":%q,"source_credentials":{"type":"authorized_user","token_uri":%q}}`, at+"/impersonate", at+"/token"),
			token: "of another", auth: "Bearer a token"},
		"of another kind": {file: `{"type":"gdch_service_account"}`, err: `type "gdch_service_account" are not known`},
		"of no kind":      {file: `{}`, err: `without a "type"`},
		"no JSON":         {file: `geheim`, err: "no credentials in JSON"},
		"no key":          {file: `{"type":"service_account"}`, err: "without client_email or private_key"},
		"a wrong key":     {file: `{"type":"service_account","client_email":"x","private_key":"geheim"}`, err: "not in PEM form"},
		"metadata server": {token: "a token", auth: "Google"},
	} {
		t.Run(name, func(t *testing.T) {
			form, auth = nil, ""
			t.Setenv("CLOUDSDK_CONFIG", filepath.Join(dir, "none"))
			t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(at, "http://"))
			t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
			if c.file != "" {
				path := filepath.Join(t.TempDir(), "c.json")
				if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
				t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", path)
			}
			got, err := newFinder(remote.Options{Transport: transport}).token(t.Context())
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.ContainsAny(err.Error(), "\n") ||
					strings.Contains(err.Error(), "geheim") || !strings.Contains(err.Error(), "GOOGLE_APPLICATION_CREDENTIALS: ") {
					t.Errorf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil || got.Value != c.token || got.Expires.IsZero() || auth != c.auth {
				t.Errorf("%+v, %v; header %q", got, err, auth)
			}
			for name, want := range c.form {
				if form.Get(name) != want {
					t.Errorf("%s is %q, want %q", name, form.Get(name), want)
				}
			}
			if said := form.Get("assertion"); said != "" {
				checkSigned(t, private, said, at+"/token")
			}
		})
	}
}

// checkSigned reads a JSON Web Token with what others have for that.
func checkSigned(t *testing.T, key *rsa.PrivateKey, said, aud string) {
	t.Helper()
	parts := strings.Split(said, ".")
	if len(parts) != 3 {
		t.Fatalf("a token of %d parts", len(parts))
	}
	sig, _ := base64.RawURLEncoding.DecodeString(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err := rsa.VerifyPKCS1v15(&key.PublicKey, crypto.SHA256, sum[:], sig); err != nil {
		t.Error(err)
	}
	var head struct{ Alg, Kid, Typ string }
	var claims struct {
		Iss, Scope, Aud string
		Iat, Exp        int64
	}
	for i, into := range []any{&head, &claims} {
		b, _ := base64.RawURLEncoding.DecodeString(parts[i])
		if json.Unmarshal(b, into) != nil {
			t.Errorf("%q is no JSON", b)
		}
	}
	if head.Alg != "RS256" || head.Kid != "7" || claims.Iss != "me@x" || claims.Aud != aud || claims.Scope != scope || claims.Exp-claims.Iat != 3600 {
		t.Errorf("%+v, %+v", head, claims)
	}
}

// TestGcloud takes what gcloud leaves, when nothing else is said.
func TestGcloud(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
	t.Setenv("CLOUDSDK_CONFIG", dir)
	os.WriteFile(filepath.Join(dir, "application_default_credentials.json"), []byte(`{"type":"other"}`), 0o600)
	if _, err := newFinder(remote.Options{}).token(t.Context()); err == nil || !strings.Contains(err.Error(), `"other"`) {
		t.Errorf("%v", err)
	}
	t.Setenv("GOOGLE_APPLICATION_CREDENTIALS", filepath.Join(dir, "none"))
	if _, err := newFinder(remote.Options{}).token(t.Context()); err == nil || !strings.Contains(err.Error(), "GOOGLE_APPLICATION_CREDENTIALS: ") {
		t.Errorf("%v", err)
	}
}
