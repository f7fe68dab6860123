package audit

import "context"

type sourceKey struct{}

// WithSource returns a context that tells where a request came from.
func WithSource(ctx context.Context, s Source) context.Context {
	return context.WithValue(ctx, sourceKey{}, s)
}

// sourceOf returns where the request came from, cleaned; the zero Source for
// what no request asked for.
func sourceOf(ctx context.Context) Source {
	s, _ := ctx.Value(sourceKey{}).(Source)
	s.Browser = s.Browser.Cleaned()
	return s
}
