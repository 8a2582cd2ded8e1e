// Adds, reads and searches documents of a Quire server. Usage: docs URL
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"

	quire "example/quiredocs"
)

// refused is the error of a request that the server refused: Body.Code is the reason for programs, Body.Error the one
// for people.
type refused struct{ Body quire.ErrorBody }

func (r *refused) Error() string { return fmt.Sprintf("%s: %s", r.Body.Code, r.Body.Error) }

type response interface {
	StatusCode() int
	GetBody() []byte
}

// succeeded turns an answer that refuses the request into an error.
func succeeded[R response](answer R, err error) (R, error) {
	if err != nil || answer.StatusCode() < 300 {
		return answer, err
	}
	refusal := &refused{}
	if err := json.Unmarshal(answer.GetBody(), &refusal.Body); err != nil {
		return answer, fmt.Errorf("status %d: %w", answer.StatusCode(), err)
	}
	return answer, refusal
}

// must ends the program where a call failed.
func must[R response](answer R, err error) R {
	answer, err = succeeded(answer, err)
	if err != nil {
		log.Fatal(err)
	}
	return answer
}

func pointer[T any](value T) *T { return &value }

// authorize sends the token, where there is one; a server without accounts needs none.
func authorize(_ context.Context, request *http.Request) error {
	if token := os.Getenv("QUIRE_TOKEN"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return nil
}

func main() {
	ctx := context.Background()
	client, err := quire.NewClientWithResponses(os.Args[1], quire.WithRequestEditorFn(authorize))
	if err != nil {
		log.Fatal(err)
	}

	for _, each := range []struct{ key, text, year string }{{"hello", "# Hello", "2026"}, {"goodbye", "# Goodbye", "1999"}} {
		meta := quire.GivenMeta{"kind": {each.key}, "year": {each.year}}
		request := quire.AddDocumentRequest{Collection: "examples", Key: each.key, Lang: "en", ContentMd: each.text, Meta: &meta}
		fmt.Println("added", must(client.AddDocumentWithResponse(ctx, request)).JSON200.Key)
	}

	hello := quire.GetDocumentRequest{Collection: "examples", Key: "hello", Lang: "en"}
	fmt.Println("read", must(client.GetDocumentWithResponse(ctx, hello)).JSON200.ContentMd)

	listed := must(client.SearchDocumentsWithResponse(ctx, quire.SearchDocumentsRequest{
		Collection: "examples",
		FilterMeta: &quire.FilterMeta{"kind": {"hello"}},
	}))
	for _, document := range *listed.JSON200 {
		fmt.Println("filtered", document.Key)
	}

	found := must(client.SearchFullTextWithResponse(ctx, quire.SearchFullTextRequest{
		Collection: "examples",
		Query:      "hello goodbye",
		FilterMeta: &quire.FilterMeta{"kind": {"hello", "goodbye"}},
		RangeMeta:  &[]quire.RangeCondition{{Field: "year", Gte: pointer[quire.RangeValue](2000)}},
		Highlight:  pointer(true),
	}))
	for _, result := range found.JSON200.Results {
		fmt.Println("found", result.Document.Key, (*result.Highlights)[0].Fragment)
	}

	absent := quire.GetDocumentRequest{Collection: "examples", Key: "absent", Lang: "en"}
	_, err = succeeded(client.GetDocumentWithResponse(ctx, absent))
	var refusal *refused
	if errors.As(err, &refusal) {
		fmt.Println("refused", refusal.Body.Code)
	}

	// The exact time, which is beyond 2^53, finds the record again.
	additions := quire.ListAuditEventsParams{Action: pointer("write./v1/add"), Limit: pointer[int32](1)}
	newest := must(client.ListAuditEventsWithResponse(ctx, &additions)).JSON200.Events[0]
	exact := quire.ListAuditEventsParams{FromNanos: &newest.Ts, ToNanos: &newest.Ts}
	if again := must(client.ListAuditEventsWithResponse(ctx, &exact)).JSON200; newest.Ts > 1<<53 && len(again.Events) > 0 {
		fmt.Println("audited", newest.Action, "in nanoseconds")
	}
}
