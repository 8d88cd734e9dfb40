// A client of Whence in a few small files: copy what you need.
//
// connection.go has the channel with its retry policy and TLS, errors.go what a failed call says of itself, retry.go
// how a commit is sent again, jobs.go the jobs, conformance.go the cases that all clients run.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"time"

	"google.golang.org/grpc"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/protobuf/proto"

	pb "whence-example/gen/whencev1"
)

// errRefused says that some partition failed; what was printed says which and why.
var errRefused = errors.New("some partition was refused")

// errUsage says that the command line is wrong.
var errUsage = errors.New("usage: whence-example window|commit|lag|watch|health|conformance [OPTIONS] ARGUMENTS")

type command struct {
	flags     *flag.FlagSet
	target    Target
	source    string
	timeout   time.Duration
	records   int
	entry     pb.CommitEntry
	requestID string
}

func main() {
	err := run(context.Background(), os.Args[1:])
	switch {
	case err == nil:
	case errors.Is(err, errUsage), errors.Is(err, errHalfCertificate):
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	case errors.Is(err, errRefused), errors.Is(err, errDifferent):
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "whence-example:", FailureOf(err))
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errUsage
	}
	c := parse(args[0], args[1:])
	conn, err := c.target.Open()
	if err != nil {
		return err
	}
	defer conn.Close()
	jobs := Jobs{
		Resolver: pb.NewResolverServiceClient(conn),
		Logs:     pb.NewLogServiceClient(conn),
		Groups:   pb.NewGroupOffsetsServiceClient(conn),
		Source:   c.source,
		Timeout:  c.timeout,
		Out:      os.Stdout,
	}
	rest := c.flags.Args()
	switch {
	case args[0] == "window" && len(rest) == 3:
		return jobs.Window(ctx, rest[0], rest[1], rest[2], c.records)
	case args[0] == "commit" && len(rest) == 4:
		return c.commit(ctx, jobs, rest)
	case args[0] == "lag" && len(rest) == 1:
		return jobs.Lag(ctx, rest[0])
	case args[0] == "watch" && len(rest) == 2:
		return jobs.Watch(ctx, rest[0], rest[1])
	case args[0] == "health" && len(rest) == 0:
		return health(ctx, conn, c.timeout)
	case args[0] == "conformance" && len(rest) > 0:
		return Conformance{jobs}.Run(ctx, rest)
	}
	return errUsage
}

func parse(name string, args []string) *command {
	server := os.Getenv("WHENCE_SERVER")
	if server == "" {
		server = "localhost:9000"
	}
	c := &command{flags: flag.NewFlagSet(name, flag.ExitOnError)}
	c.flags.StringVar(&c.target.Server, "server", server, "`HOST:PORT`")
	c.flags.BoolVar(&c.target.TLS, "tls", false, "speaks TLS, and trusts the CAs of the system; any tls-* turns it on, too")
	c.flags.StringVar(&c.target.TLSCA, "tls-ca", "", "trusts this CA instead, a PEM `FILE`")
	c.flags.StringVar(&c.target.TLSCert, "tls-cert", "", "our own certificate, for mutual TLS, a PEM `FILE`")
	c.flags.StringVar(&c.target.TLSKey, "tls-key", "", "the key of our own certificate, a PEM `FILE`")
	c.flags.StringVar(&c.source, "source", "", "needed where the server has several")
	seconds := c.flags.Float64("timeout", 10, "the deadline of each call in `SECONDS`")
	c.flags.IntVar(&c.records, "records", 2, "window: reads so many records of each partition")
	c.flags.Func("expect", "commit: the `OFFSET` that must be committed now; none for nothing", c.expect)
	c.flags.StringVar(&c.requestID, "request-id", "", "commit: default is a new random one")
	c.flags.StringVar(&c.entry.Metadata, "metadata", "", "commit: a text to keep with the offset")
	c.flags.BoolVar(&c.entry.AllowRewind, "rewind", false, "commit: allows a step back")
	_ = c.flags.Parse(args) // exits on an error
	c.timeout = time.Duration(*seconds * float64(time.Second))
	return c
}

func (c *command) commit(ctx context.Context, jobs Jobs, args []string) error {
	partition, err := strconv.ParseInt(args[2], 10, 32)
	if err != nil {
		return errUsage
	}
	next, err := strconv.ParseInt(args[3], 10, 64)
	if err != nil {
		return errUsage
	}
	c.entry.Topic, c.entry.Partition, c.entry.NextOffset = args[1], int32(partition), proto.Int64(next)
	return jobs.Commit(ctx, args[0], &c.entry, c.requestID)
}

func (c *command) expect(text string) error {
	if text == "none" {
		c.entry.ExpectNoOffset = true
		return nil
	}
	expected, err := strconv.ParseInt(text, 10, 64)
	c.entry.ExpectedOffset = proto.Int64(expected)
	return err
}

func health(ctx context.Context, conn *grpc.ClientConn, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request := &healthpb.HealthCheckRequest{Service: "whence.v1.ResolverService"}
	response, err := healthpb.NewHealthClient(conn).Check(ctx, request, grpc.WaitForReady(true))
	if err != nil {
		return err
	}
	fmt.Println(response.Status)
	if response.Status != healthpb.HealthCheckResponse_SERVING {
		return errRefused
	}
	return nil
}
