// Queues, reads and cancels a run of a Quire run queue. Usage: QUIRE_TOKEN=... runs URL
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	quire "example/quireruns"
)

// refused is the error of a request that the server refused; Body.Error.Code is the reason for programs.
type refused struct{ Body quire.ErrorBody }

func (r *refused) Error() string { return string(r.Body.Error.Code) }

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

func authorize(_ context.Context, request *http.Request) error {
	request.Header.Set("Authorization", "Bearer "+os.Getenv("QUIRE_TOKEN"))
	return nil
}

func main() {
	ctx := context.Background()
	client, err := quire.NewClientWithResponses(os.Args[1], quire.WithRequestEditorFn(authorize))
	if err != nil {
		log.Fatal(err)
	}

	for _, project := range must(client.ListProjectsWithResponse(ctx)).JSON200.Data {
		fmt.Println("project", project.Id)
	}

	// One key for one intention: a request that is sent again under it returns the first run.
	key := quire.EnqueueRunParams{IdempotencyKey: rand.Text()}
	request := quire.EnqueueRunRequest{ProjectId: "alpha", Kind: quire.EnqueueRunRequestKindDiagnostic}
	run := must(client.EnqueueRunWithResponse(ctx, &key, request)).JSON202.Data
	fmt.Println("queued", run.State)
	if again := must(client.EnqueueRunWithResponse(ctx, &key, request)).JSON202.Data; again.Id == run.Id {
		fmt.Println("same run")
	}

	fmt.Println("read", must(client.GetRunWithResponse(ctx, run.Id)).JSON200.Data.State)
	fmt.Println("cancelled", must(client.CancelRunWithResponse(ctx, run.Id)).JSON200.Data.State)

	_, err = succeeded(client.GetRunWithResponse(ctx, strings.Repeat("0", 32)))
	var refusal *refused
	if errors.As(err, &refusal) {
		fmt.Println("refused", refusal.Body.Error.Code)
	}
}
