package core

import "context"

func (s *state) borrow(ctx context.Context)          {}
func (s *state) exchange(ctx context.Context, e int) {}
func (s *state) readmit()                            {}
