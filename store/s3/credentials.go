package s3

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Credentials sign requests.
type Credentials struct {
	ID, Secret string
	Token      string    // of a session, "" if there is none
	Expires    time.Time // zero: never
}

// provider gives credentials.
type provider func(ctx context.Context) (Credentials, error)

// soon is how long before they expire credentials are fetched anew.
const soon = 2 * time.Minute

// keyring keeps credentials as long as they are good.
type keyring struct {
	from provider
	busy chan struct{} // who has the one place looks after have
	have *Credentials
}

// get gives those that are good.
func (k *keyring) get(ctx context.Context) (*Credentials, error) {
	select {
	case k.busy <- struct{}{}:
		defer func() { <-k.busy }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if k.have != nil && (k.have.Expires.IsZero() || time.Until(k.have.Expires) > soon) {
		return k.have, nil
	}
	c, err := k.from(ctx)
	if err != nil {
		return nil, err
	}
	k.have = &c
	return k.have, nil
}

// renew gives up credentials that the server takes for expired, and reports whether
// there are others now.
func (k *keyring) renew(ctx context.Context, id, token string) bool {
	select {
	case k.busy <- struct{}{}:
		defer func() { <-k.busy }()
	case <-ctx.Done():
		return false
	}
	if k.have != nil && (k.have.ID != id || k.have.Token != token) {
		return true // somebody else was quicker
	}
	c, err := k.from(ctx)
	if err != nil || c.ID == id && c.Token == token {
		return false
	}
	k.have = &c
	return true
}

// fixed is a provider of credentials that do not change.
func fixed(c Credentials) provider {
	return func(context.Context) (Credentials, error) { return c, nil }
}

// failing is a provider that says what is missing.
func failing(format string, args ...any) provider {
	err := fmt.Errorf(format, args...)
	return func(context.Context) (Credentials, error) { return Credentials{}, err }
}

// chain looks in the usual places, in the order in which the tools of AWS do: the first
// that says something is taken, and what is wrong with it is said.
func (c *config) chain() provider {
	env := os.Getenv
	switch {
	case c.profile != "":
		if p, ok := c.ofEnvironment(); ok && env("AWS_PROFILE") == c.profile {
			return p
		}
		return c.ofProfile(c.profile, 0)
	case env("AWS_ACCESS_KEY_ID") != "" || env("AWS_SECRET_ACCESS_KEY") != "" || env("AWS_WEB_IDENTITY_TOKEN_FILE") != "":
		p, _ := c.ofEnvironment()
		return p
	}
	if of := c.files.section("default"); of != nil {
		for _, name := range []string{"aws_access_key_id", "role_arn", "credential_process", "sso_session", "sso_start_url"} {
			if of[name] != "" {
				return c.ofProfile("default", 0)
			}
		}
	}
	if env("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") != "" || env("AWS_CONTAINER_CREDENTIALS_FULL_URI") != "" {
		return container
	}
	return machine
}

// ofEnvironment is what variables say alone.
func (c *config) ofEnvironment() (provider, bool) {
	id, secret := os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY")
	switch {
	case id != "" && secret != "":
		return fixed(Credentials{ID: id, Secret: secret, Token: os.Getenv("AWS_SESSION_TOKEN")}), true
	case id != "":
		return failing("AWS_ACCESS_KEY_ID is set and AWS_SECRET_ACCESS_KEY is not"), true
	case secret != "":
		return failing("AWS_SECRET_ACCESS_KEY is set and AWS_ACCESS_KEY_ID is not"), true
	}
	if file := os.Getenv("AWS_WEB_IDENTITY_TOKEN_FILE"); file != "" {
		role := os.Getenv("AWS_ROLE_ARN")
		if role == "" {
			return failing("AWS_WEB_IDENTITY_TOKEN_FILE is set and AWS_ROLE_ARN is not"), true
		}
		return c.webIdentity(file, role, os.Getenv("AWS_ROLE_SESSION_NAME")), true
	}
	return nil, false
}

// ofProfile is what a profile says, which may name another that it builds on.
func (c *config) ofProfile(name string, depth int) provider {
	of := c.files.section(name)
	switch {
	case of == nil:
		return func(context.Context) (Credentials, error) { return Credentials{}, c.files.missing(name) }
	case depth > 8:
		return failing("profile %q: its source_profile leads in a circle", name)
	case of["role_arn"] != "" && of["web_identity_token_file"] != "":
		return c.webIdentity(of["web_identity_token_file"], of["role_arn"], of["role_session_name"])
	case of["role_arn"] != "" && of["mfa_serial"] != "":
		return failing("profile %q asks for a code of a device, which cannot be given here: %s", name, export(name))
	case of["role_arn"] != "":
		from, err := c.sourceOf(name, of, depth)
		if err != nil {
			return failing("%w", err)
		}
		return c.assumeRole(from, of)
	case of["aws_access_key_id"] != "":
		if of["aws_secret_access_key"] == "" {
			return failing("profile %q has aws_access_key_id and no aws_secret_access_key", name)
		}
		return fixed(Credentials{ID: of["aws_access_key_id"], Secret: of["aws_secret_access_key"], Token: of["aws_session_token"]})
	case of["credential_process"] != "":
		return process(name, of["credential_process"])
	case of["sso_session"] != "" || of["sso_start_url"] != "":
		return failing("profile %q signs on in a browser (SSO), which is not done here: %s", name, export(name))
	}
	return failing("profile %q has no credentials: want aws_access_key_id, role_arn or credential_process", name)
}

// export is how the tools of AWS hand credentials over.
func export(profile string) string {
	return fmt.Sprintf(`run eval "$(aws configure export-credentials --profile %s --format env)" before`, profile)
}

// sourceOf gives the credentials with which a profile takes on its role.
func (c *config) sourceOf(name string, of map[string]string, depth int) (provider, error) {
	switch source := of["source_profile"]; {
	case source == name && of["aws_access_key_id"] != "":
		return fixed(Credentials{ID: of["aws_access_key_id"], Secret: of["aws_secret_access_key"], Token: of["aws_session_token"]}), nil
	case source != "":
		return c.ofProfile(source, depth+1), nil
	}
	switch source := of["credential_source"]; source {
	case "Environment":
		if p, ok := c.ofEnvironment(); ok {
			return p, nil
		}
		return nil, fmt.Errorf("profile %q wants credentials of the environment, and AWS_ACCESS_KEY_ID is not set", name)
	case "EcsContainer":
		return container, nil
	case "Ec2InstanceMetadata":
		return machine, nil
	default:
		return nil, fmt.Errorf("profile %q has role_arn and neither source_profile nor credential_source", name)
	}
}

// process runs the command that a profile names.
func process(profile, command string) provider {
	return func(ctx context.Context) (Credentials, error) {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "sh", "-c", command)
		out, err := cmd.Output()
		if err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				if said, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n"); said != "" {
					err = fmt.Errorf("%w: %s", err, said)
				}
			}
			return Credentials{}, fmt.Errorf("credential_process of profile %q: %w", profile, err)
		}
		var c struct {
			Version                                    int
			AccessKeyId, SecretAccessKey, SessionToken string
			Expiration                                 time.Time
		}
		if json.Unmarshal(out, &c) != nil || c.Version != 1 || c.AccessKeyId == "" || c.SecretAccessKey == "" {
			return Credentials{}, fmt.Errorf("credential_process of profile %q does not print credentials", profile)
		}
		return Credentials{c.AccessKeyId, c.SecretAccessKey, c.SessionToken, c.Expiration}, nil
	}
}
