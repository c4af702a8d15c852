package spark

import (
	"context"
	"fmt"
)

// Parquet writes the rows of a query to files of Parquet.
func (e *Engine) Parquet(ctx context.Context, query, output string) error {
	_, _, err := e.session.statement(ctx, func(string) string {
		return fmt.Sprintf("INSERT OVERWRITE DIRECTORY '%s' USING parquet %s", uri(output), query)
	}, nil)
	return err
}
