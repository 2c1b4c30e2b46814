package gcs

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/url"
	"time"

	"github.com/omnizarr/zarr/internal/bearer"
)

// serviceAccount gets a token by a statement that is signed with the account's key.
func (f *finder) serviceAccount(ctx context.Context, raw []byte) (bearer.Token, error) {
	var c struct {
		Email    string `json:"client_email"`
		Key      string `json:"private_key"`
		KeyID    string `json:"private_key_id"`
		TokenURI string `json:"token_uri"`
	}
	if json.Unmarshal(raw, &c) != nil || c.Email == "" || c.Key == "" {
		return bearer.Token{}, errors.New("a service account without client_email or private_key")
	}
	if c.TokenURI == "" {
		c.TokenURI = tokenServer
	}
	key, err := privateKey(c.Key)
	if err != nil {
		return bearer.Token{}, err
	}
	now := time.Now()
	said, err := sign(key, c.KeyID, map[string]any{
		"iss": c.Email, "scope": scope, "aud": c.TokenURI, "iat": now.Unix(), "exp": now.Add(time.Hour).Unix(),
	})
	if err != nil {
		return bearer.Token{}, err
	}
	return bearer.Post(ctx, f.client, c.TokenURI, url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {said},
	})
}

// privateKey reads a key in either of the forms that are in use.
func privateKey(text string) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("the private_key is not in PEM form")
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("the private_key cannot be read")
	}
	if key, ok := key.(*rsa.PrivateKey); ok {
		return key, nil
	}
	return nil, errors.New("the private_key is not one of RSA")
}

// sign makes a JSON Web Token.
func sign(key *rsa.PrivateKey, id string, claims map[string]any) (string, error) {
	encode := func(v map[string]any) string {
		b, _ := json.Marshal(v)
		return base64.RawURLEncoding.EncodeToString(b)
	}
	said := encode(map[string]any{"alg": "RS256", "typ": "JWT", "kid": id}) + "." + encode(claims)
	sum := sha256.Sum256([]byte(said))
	sig, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, sum[:])
	if err != nil {
		return "", errors.New("the private_key cannot sign")
	}
	return said + "." + base64.RawURLEncoding.EncodeToString(sig), nil
}
