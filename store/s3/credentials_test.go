package s3

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// found gives the credentials that a URL leads to.
func found(t *testing.T, url string) (Credentials, error) {
	t.Helper()
	s, err := Open(ctx, url, Options{})
	if err != nil {
		return Credentials{}, err
	}
	c, err := s.creds.get(ctx)
	if err != nil {
		return Credentials{}, err
	}
	return *c, nil
}

// wantCredentials compares what is found with "id secret token", or with a part of an
// error that begins with "!".
func wantCredentials(t *testing.T, name, url, want string) {
	t.Helper()
	c, err := found(t, url)
	got := strings.TrimSpace(c.ID + " " + c.Secret + " " + c.Token)
	if says, ok := strings.CutPrefix(want, "!"); ok {
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %q, %v, want an error with %q", name, got, err, says)
		}
	} else if err != nil || got != want {
		t.Errorf("%s: %q, %v, want %q", name, got, err, want)
	}
}

const expires = `<Expiration>2126-01-01T00:00:00Z</Expiration>`

// sts answers as the service for tokens and roles does.
func sts(t *testing.T, status int, answer func(q url.Values) string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		q, err := url.ParseQuery(string(body))
		if err != nil || r.Method != http.MethodPost {
			t.Errorf("asked with %q", body)
		}
		signed := strings.Contains(r.Header.Get("Authorization"), "Credential=source/") && strings.Contains(r.Header.Get("Authorization"), "/sts/aws4_request,SignedHeaders=content-type;host;")
		if signed != (q.Get("Action") == "AssumeRole") {
			t.Errorf("%s signed by %q", q.Get("Action"), r.Header.Get("Authorization"))
		}
		w.WriteHeader(status)
		io.WriteString(w, answer(q))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestCredentialsOfTheEnvironment(t *testing.T) {
	home := clean(t)
	wantCredentials(t, "none", "s3://bucket", "!no credentials: set AWS_ACCESS_KEY_ID")
	write(t, home, "credentials", "[default]\naws_access_key_id = filed\naws_secret_access_key = s\n")
	wantCredentials(t, "a default profile", "s3://bucket", "filed s")
	t.Setenv("AWS_ACCESS_KEY_ID", "id")
	wantCredentials(t, "half of them", "s3://bucket", "!AWS_SECRET_ACCESS_KEY is not")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	wantCredentials(t, "keys", "s3://bucket", "id secret")
	t.Setenv("AWS_SESSION_TOKEN", "token")
	wantCredentials(t, "a session", "s3://bucket", "id secret token")
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	wantCredentials(t, "the other half", "s3://bucket", "!AWS_ACCESS_KEY_ID is not")
	if s, err := Open(ctx, "s3://bucket?anonymous=true", Options{}); err != nil || s.creds != nil {
		t.Errorf("anonymous: %v", err)
	}
}

func TestCredentialsOfProfiles(t *testing.T) {
	home := clean(t)
	t.Setenv("AWS_ENDPOINT_URL_STS", sts(t, 200, func(q url.Values) string {
		return fmt.Sprintf("<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>%s</AccessKeyId><SecretAccessKey>%s</SecretAccessKey><SessionToken>%s</SessionToken>%s</Credentials></AssumeRoleResult></AssumeRoleResponse>",
			q.Get("RoleArn"), q.Get("ExternalId"), q.Get("RoleSessionName"), expires)
	}))
	write(t, home, "credentials", `
[source]
aws_access_key_id = source
aws_secret_access_key = hidden
[half]
aws_access_key_id = x
`)
	write(t, home, "config", `
[profile keys]
aws_access_key_id=a
aws_secret_access_key = b
aws_session_token = c
[profile role]
role_arn = arn:1
source_profile = source
external_id = ext
role_session_name = me
[profile circle]
role_arn = arn:1
source_profile = circle
[profile nowhere]
role_arn = arn:1
[profile env]
role_arn = arn:1
credential_source = Environment
[profile device]
role_arn = arn:1
source_profile = source
mfa_serial = 7
[profile browser]
sso_session = x
[profile empty]
region = x
[profile run]
credential_process = echo '{"Version": 1, "AccessKeyId": "p", "SecretAccessKey": "q", "SessionToken": "r", "Expiration": "2126-01-01T00:00:00Z"}'
[profile fails]
credential_process = echo no luck >&2; exit 3
[profile prints]
credential_process = echo hidden
`)
	for profile, want := range map[string]string{
		"keys": "a b c", "source": "source hidden", "half": "!no aws_secret_access_key", "missing": "!no profile \"missing\"",
		"role": "arn:1 ext me", "circle": "!circle", "nowhere": "!neither source_profile nor credential_source",
		"env": "!AWS_ACCESS_KEY_ID is not set", "device": "!aws configure export-credentials --profile device", "browser": "!SSO",
		"empty": "!has no credentials",
	} {
		wantCredentials(t, profile, "s3://bucket?profile="+profile, want)
	}
	if runtime.GOOS != "windows" {
		wantCredentials(t, "run", "s3://bucket?profile=run", "p q r")
		wantCredentials(t, "fails", "s3://bucket?profile=fails", "!exit status 3: no luck")
		wantCredentials(t, "prints", "s3://bucket?profile=prints", "!does not print credentials")
	}
	t.Setenv("AWS_PROFILE", "keys")
	wantCredentials(t, "AWS_PROFILE", "s3://bucket", "a b c")
	wantCredentials(t, "both", "s3://bucket?profile=source", "source hidden")
	t.Setenv("AWS_PROFILE", "gone")
	wantCredentials(t, "a profile that is gone", "s3://bucket", "!no profile \"gone\"")
}

func TestWebIdentity(t *testing.T) {
	home := clean(t)
	asked := 0
	t.Setenv("AWS_ENDPOINT_URL_STS", sts(t, 200, func(q url.Values) string {
		asked++
		return fmt.Sprintf("<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>%s</AccessKeyId><SecretAccessKey>%s</SecretAccessKey><SessionToken>%s</SessionToken>%s</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>",
			q.Get("WebIdentityToken"), q.Get("RoleArn"), q.Get("Action"), expires)
	}))
	file := filepath.Join(home, "token")
	t.Setenv("AWS_WEB_IDENTITY_TOKEN_FILE", file)
	wantCredentials(t, "no role", "s3://bucket", "!AWS_ROLE_ARN is not")
	t.Setenv("AWS_ROLE_ARN", "arn:pod")
	wantCredentials(t, "no file", "s3://bucket", "!"+file)
	if err := os.WriteFile(file, []byte("jwt\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantCredentials(t, "a token", "s3://bucket", "jwt arn:pod AssumeRoleWithWebIdentity")
	write(t, home, "config", "[profile pod]\nrole_arn = arn:other\nweb_identity_token_file = "+file+"\n")
	wantCredentials(t, "a profile", "s3://bucket?profile=pod", "jwt arn:other AssumeRoleWithWebIdentity")
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
	t.Setenv("AWS_ENDPOINT_URL_STS", sts(t, 400, func(url.Values) string {
		return "<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>not known</Message></Error></ErrorResponse>"
	}))
	wantCredentials(t, "refused", "s3://bucket", "!credentials of arn:pod: server answers 400 InvalidIdentityToken: not known")
}

func TestCredentialsOfContainers(t *testing.T) {
	home := clean(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/none":
			io.WriteString(w, `{"Code": "Refused", "Message": "no role"}`)
		case r.URL.Path != "/creds" || r.Header.Get("Authorization") != "tell":
			w.WriteHeader(http.StatusForbidden)
		default:
			io.WriteString(w, `{"AccessKeyId": "c", "SecretAccessKey": "d", "Token": "e", "Expiration": "2126-01-01T00:00:00Z"}`)
		}
	}))
	defer server.Close()
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", server.URL+"/creds")
	wantCredentials(t, "no token", "s3://bucket", "!credentials of the container: server answers 403")
	t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "tell")
	wantCredentials(t, "a token", "s3://bucket", "c d e")
	file := filepath.Join(home, "token")
	t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", file)
	wantCredentials(t, "no file", "s3://bucket", "!"+file)
	if err := os.WriteFile(file, []byte("tell\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_CONTAINER_AUTHORIZATION_TOKEN", "")
	wantCredentials(t, "a file", "s3://bucket", "c d e")
	t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", server.URL+"/none")
	wantCredentials(t, "nothing there", "s3://bucket", "!no role")
	for _, at := range []string{"http://10.0.0.1/x", "http://example.org/x", "file:///etc/passwd", "http://"} {
		t.Setenv("AWS_CONTAINER_CREDENTIALS_FULL_URI", at)
		wantCredentials(t, at, "s3://bucket", "!must be https, or an address of this machine")
	}
}

func TestCredentialsOfMachines(t *testing.T) {
	clean(t)
	t.Setenv("AWS_EC2_METADATA_DISABLED", "")
	role := "lab role"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPut && r.URL.Path == "/latest/api/token" && r.Header.Get("X-Aws-Ec2-Metadata-Token-Ttl-Seconds") != "":
			io.WriteString(w, "session")
		case r.Header.Get("X-Aws-Ec2-Metadata-Token") != "session":
			w.WriteHeader(http.StatusUnauthorized)
		case r.URL.Path == "/latest/meta-data/iam/security-credentials/" && role != "":
			io.WriteString(w, role)
		case role != "" && r.URL.Path == "/latest/meta-data/iam/security-credentials/"+role:
			io.WriteString(w, `{"Code": "Success", "AccessKeyId": "m", "SecretAccessKey": "n", "Token": "o", "Expiration": "2126-01-01T00:00:00Z"}`)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", server.URL)
	wantCredentials(t, "a role", "s3://bucket", "m n o")
	role = ""
	wantCredentials(t, "no role", "s3://bucket", "!this machine has no role: no credentials: set")
	server.Close()
	wantCredentials(t, "no machine of EC2", "s3://bucket", "!no credentials: set")
}
