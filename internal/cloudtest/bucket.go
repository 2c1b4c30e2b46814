package cloudtest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// patience is how long a server may take to start, on a machine that is busy.
const patience = time.Minute

// client leaves no connection open.
var client = &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}

// answers waits until something answers.
func answers(url string) error {
	deadline := time.Now().Add(patience)
	for wait := time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		resp, err := client.Get(url)
		if err == nil {
			resp.Body.Close()
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("does not answer: %w", err)
		}
		time.Sleep(wait)
	}
}

func makeGCSBucket(server, bucket string) error {
	req, err := http.NewRequest(http.MethodPost, server+"/storage/v1/b?project=test", strings.NewReader(`{"name":"`+bucket+`"}`))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	return done(req)
}

func makeAzureContainer(server, container string) error {
	req, err := http.NewRequest(http.MethodPut, server+"/"+user+"/"+container+"?restype=container", nil)
	if err != nil {
		return err
	}
	date := time.Now().UTC().Format(http.TimeFormat)
	const version = "2023-11-03"
	req.Header.Set("x-ms-date", date)
	req.Header.Set("x-ms-version", version)
	key, err := base64.StdEncoding.DecodeString(secret)
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, key)
	// The verb, eleven headers that are not there, those of Azure, and what is asked for: an
	// account of a server on one address stands in its path too.
	fmt.Fprintf(mac, "PUT\n%sx-ms-date:%s\nx-ms-version:%s\n/%s/%s/%s\nrestype:container", strings.Repeat("\n", 11), date, version, user, user, container)
	req.Header.Set("Authorization", "SharedKey "+user+":"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return done(req)
}

// done makes a request that must succeed.
func done(req *http.Request) error {
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		b, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
		return fmt.Errorf("%s %s: %s: %s", req.Method, req.URL, resp.Status, b)
	}
	return nil
}
