package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
)

// Lookups change nothing, so gRPC itself repeats them on UNAVAILABLE; of several addresses, each gets its share. In an
// outage that ends after 50 repetitions, until there are answers again. Commits and watches only wait for a server: we
// repeat them, since gRPC doesn't look for a request id, nor does it know what a watch has told (see retry.go).
const serviceConfig = `{
  "loadBalancingConfig": [{"round_robin": {}}],
  "retryThrottling": {"maxTokens": 100, "tokenRatio": 0.1},
  "methodConfig": [{
    "name": [
      {"service": "whence.v1.ResolverService"},
      {"service": "whence.v1.LogService", "method": "Read"},
      {"service": "whence.v1.LogService", "method": "ListTopics"},
      {"service": "whence.v1.LogService", "method": "DescribeTopic"},
      {"service": "whence.v1.GroupOffsetsService", "method": "FetchOffset"},
      {"service": "whence.v1.GroupOffsetsService", "method": "GetGroupLag"},
      {"service": "whence.v1.GroupOffsetsService", "method": "ListGroups"}
    ],
    "waitForReady": true,
    "retryPolicy": {
      "maxAttempts": 4,
      "initialBackoff": "0.2s",
      "maxBackoff": "2s",
      "backoffMultiplier": 2,
      "retryableStatusCodes": ["UNAVAILABLE"]
    }
  }, {
    "name": [
      {"service": "whence.v1.ResolverService", "method": "WatchTimestamp"},
      {"service": "whence.v1.GroupOffsetsService", "method": "CommitOffset"}
    ],
    "waitForReady": true
  }]
}`

// Target says where the server is, and how TLS is spoken: the CA of the server if it is none that the system knows, and
// a certificate of our own for mutual TLS, all PEM files. Any of them turns TLS on.
type Target struct {
	Server                 string
	TLS                    bool
	TLSCA, TLSCert, TLSKey string
}

// errHalfCertificate says that a certificate came without its key, or a key without its certificate.
var errHalfCertificate = errors.New("--tls-cert and --tls-key need each other")

// Open makes a connection; it connects with the first call, and again when it was lost.
func (t Target) Open() (*grpc.ClientConn, error) {
	creds, err := t.credentials()
	if err != nil {
		return nil, err
	}
	return grpc.NewClient(t.Server,
		grpc.WithTransportCredentials(creds),
		grpc.WithDefaultServiceConfig(serviceConfig),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(16<<20)),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 30 * time.Second}))
}

func (t Target) credentials() (credentials.TransportCredentials, error) {
	if (t.TLSCert == "") != (t.TLSKey == "") {
		return nil, errHalfCertificate
	}
	if !t.TLS && t.TLSCA == "" && t.TLSCert == "" {
		return insecure.NewCredentials(), nil
	}
	config := &tls.Config{}
	if t.TLSCA != "" {
		ca, err := os.ReadFile(t.TLSCA)
		if err != nil {
			return nil, err
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(ca) {
			return nil, fmt.Errorf("%s holds no certificate", t.TLSCA)
		}
	}
	if t.TLSCert != "" {
		own, err := tls.LoadX509KeyPair(t.TLSCert, t.TLSKey)
		if err != nil {
			return nil, err
		}
		config.Certificates = []tls.Certificate{own}
	}
	return credentials.NewTLS(config), nil
}
