// A gRPC client in Go that adds, gets, searches, and reads the audit log.
//
// Usage: client HOST:PORT
// Ends with 0 when the server did what was expected, and prints what it did. run.sh generates its messages and stubs.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	docs "quire/gen/quire/docs/v1"
)

const collection = "go"

func main() {
	connection, err := grpc.NewClient(os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	client := docs.NewDocumentDBClient(connection)
	for _, part := range []func(context.Context, docs.DocumentDBClient) error{documents, search, refusal, audit} {
		if err := part(context.Background(), client); err != nil {
			log.Fatal(err)
		}
	}
}

func list(values ...string) *docs.StringList { return &docs.StringList{Values: values} }

func documents(ctx context.Context, client docs.DocumentDBClient) error {
	for key, year := range map[string]string{"Hello": "2026", "Goodbye": "1999"} {
		_, err := client.Add(ctx, &docs.AddRequest{
			Collection: collection, Key: key, Lang: "en", ContentMd: proto.String("# " + key),
			Meta: map[string]*docs.StringList{"kind": list(key), "year": list(year)},
		})
		if err != nil {
			return err
		}
	}
	fmt.Println("added Hello and Goodbye")

	got, err := client.Get(ctx, &docs.GetRequest{Collection: collection, Key: "Hello", Lang: "en"})
	if err != nil {
		return err
	}
	if got.ExpiresAt != nil || got.Meta["year"].Values[0] != "2026" {
		return fmt.Errorf("got %v", got)
	}
	fmt.Println("got", got.ContentMd)
	return nil
}

func search(ctx context.Context, client docs.DocumentDBClient) error {
	listed, err := client.Search(ctx, &docs.SearchRequest{
		Collection: collection, FilterMeta: map[string]*docs.StringList{"kind": list("Hello")},
	})
	if err != nil {
		return err
	}
	fmt.Println("filtered", listed.Documents[0].Key, "of", listed.TotalCount)

	found, err := client.FTS(ctx, &docs.FTSRequest{
		Collection: collection, Query: "hello goodbye", Highlight: proto.Bool(true),
		FilterMeta: map[string]*docs.StringList{"kind": list("Hello", "Goodbye")},
		RangeMeta:  []*docs.RangeCondition{{Field: "year", Gte: &docs.RangeValue{Value: &docs.RangeValue_Number{Number: 2000}}}},
	})
	if err != nil {
		return err
	}
	fmt.Println("found", found.Results[0].Highlights[0].Fragment, "of", found.TotalMatches)
	return nil
}

func refusal(ctx context.Context, client docs.DocumentDBClient) error {
	var trailer metadata.MD
	_, err := client.Get(ctx, &docs.GetRequest{Collection: collection, Key: "absent", Lang: "en"}, grpc.Trailer(&trailer))
	if status.Code(err) != codes.NotFound {
		return fmt.Errorf("expected NOT_FOUND, got %w", err)
	}
	fmt.Println("refused", trailer.Get("quire-code")[0])
	return nil
}

// audit asks for the newest addition again by its exact time, which is beyond 2^53.
func audit(ctx context.Context, client docs.DocumentDBClient) error {
	newest, err := client.ListAudit(ctx, &docs.ListAuditRequest{Action: proto.String("write./v1/add"), Limit: proto.Int32(1)})
	if err != nil {
		return err
	}
	ts := newest.Events[0].Ts
	exact, err := client.ListAudit(ctx, &docs.ListAuditRequest{FromNanos: &ts, ToNanos: &ts})
	if err != nil {
		return err
	}
	if ts <= 1<<53 || len(exact.Events) == 0 || !proto.Equal(exact.Events[0], newest.Events[0]) {
		return fmt.Errorf("the time %d found %v", ts, exact.Events)
	}
	fmt.Println("audited", newest.Events[0].Action)
	return nil
}
