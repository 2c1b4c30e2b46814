package azblob

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/omnizarr/zarr/internal/bucket"
)

// account is whose containers are meant, where they are, and by what requests are allowed.
type account struct {
	name     string
	endpoint *url.URL
	key      *sharedKey
	sas      url.Values // a shared access signature
	tokens   bool       // Entra ID is to be asked
}

// The account of Azurite, which is the same everywhere and no secret.
const (
	devAccount = "devstoreaccount1"
	devKey     = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

// find says which account a place is in: what the URL says comes before what the
// environment does.
func find(p bucket.Place) (*account, error) {
	anonymous, err := p.Flag("anonymous")
	if err != nil {
		return nil, err
	}
	a := &account{name: p.Query.Get("account")}
	endpoint := p.Query.Get("endpoint")
	said := settings(os.Getenv("AZURE_STORAGE_CONNECTION_STRING"))
	if a.name != "" && said["AccountName"] != "" && said["AccountName"] != a.name {
		said = nil // that of another account
	}
	if a.name == "" {
		a.name = first(said["AccountName"], os.Getenv("AZURE_STORAGE_ACCOUNT"), os.Getenv("AZURE_STORAGE_ACCOUNT_NAME"))
	}
	key := said["AccountKey"]
	sas := said["SharedAccessSignature"]
	if endpoint == "" {
		endpoint = said["BlobEndpoint"]
	}
	if len(said) == 0 && a.mine() {
		key = first(os.Getenv("AZURE_STORAGE_KEY"), os.Getenv("AZURE_STORAGE_ACCOUNT_KEY"))
		sas = os.Getenv("AZURE_STORAGE_SAS_TOKEN")
	}
	if p.Query.Has("sig") {
		a.sas = url.Values{}
		for name, values := range p.Query {
			if !isMember(name) {
				a.sas[name] = values
			}
		}
	} else if sas != "" && key == "" {
		if a.sas, err = url.ParseQuery(strings.TrimPrefix(sas, "?")); err != nil || !a.sas.Has("sig") {
			return nil, errors.New("AZURE_STORAGE_SAS_TOKEN, or that of the connection string, is no shared access signature")
		}
	}
	if anonymous {
		key, a.sas = "", nil
	}
	if err := a.locate(endpoint, said); err != nil {
		return nil, err
	}
	if a.sas == nil && key != "" {
		raw, err := base64.StdEncoding.DecodeString(key)
		if err != nil {
			return nil, errors.New("the account's key is not in base64")
		}
		if a.name == "" {
			return nil, errors.New("a key, but no account: set AZURE_STORAGE_ACCOUNT or add ?account=NAME to the URL")
		}
		a.key = &sharedKey{a.name, raw}
	}
	a.tokens = !anonymous && a.key == nil && a.sas == nil
	return a, nil
}

// mine reports whether the account is the one that the environment has a key for.
func (a *account) mine() bool {
	env := first(os.Getenv("AZURE_STORAGE_ACCOUNT"), os.Getenv("AZURE_STORAGE_ACCOUNT_NAME"))
	return env == "" || a.name == env
}

// locate finds the server.
func (a *account) locate(endpoint string, said map[string]string) error {
	if endpoint == "" {
		if a.name == "" {
			return errors.New("no account is named: add ?account=NAME to the URL, or set AZURE_STORAGE_ACCOUNT or AZURE_STORAGE_CONNECTION_STRING")
		}
		if strings.ContainsAny(a.name, "./:@?#%") {
			return fmt.Errorf("%q is no name of an account", a.name)
		}
		endpoint = first(said["DefaultEndpointsProtocol"], "https") + "://" + a.name + ".blob." + first(said["EndpointSuffix"], "core.windows.net")
	}
	u, err := bucket.Endpoint(endpoint)
	if err != nil {
		return err
	}
	// At an address without a name of its own, the account is part of the path.
	host := u.Hostname()
	if (net.ParseIP(host) != nil || host == "localhost") && u.Path == "" && a.name != "" {
		u = below(u, a.name)
	}
	if a.name == "" {
		if a.name, _, _ = strings.Cut(host, ".blob."); net.ParseIP(host) != nil || host == "localhost" {
			a.name = strings.Trim(u.Path, "/")
		}
	}
	a.endpoint = u
	return nil
}

// below adds a name to a URL.
func below(u *url.URL, name string) *url.URL {
	at := *u
	at.Path = strings.TrimSuffix(u.Path, "/") + "/" + name
	at.RawPath = ""
	return &at
}

// settings reads a connection string.
func settings(text string) map[string]string {
	m := map[string]string{}
	for part := range strings.SplitSeq(text, ";") {
		if name, v, ok := strings.Cut(strings.TrimSpace(part), "="); ok {
			m[name] = v
		}
	}
	if strings.EqualFold(m["UseDevelopmentStorage"], "true") {
		return map[string]string{"AccountName": devAccount, "AccountKey": devKey, "BlobEndpoint": "http://127.0.0.1:10000/" + devAccount}
	}
	return m
}

func first(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
