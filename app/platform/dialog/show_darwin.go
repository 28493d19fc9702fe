package dialog

import "context"

func show(ctx context.Context, r Request, _ uintptr) ([]string, error) { return runOsascript(ctx, r) }
