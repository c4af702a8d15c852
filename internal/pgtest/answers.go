package pgtest

import (
	"encoding/binary"
	"io"
	"net"
	"time"
)

// answers tells whether a server answers at a socket that it is ready: it lets somebody in, or asks
// who it is.
func answers(socket string) bool {
	conn, err := net.DialTimeout("unix", socket, time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	words := "user\x00mingle\x00database\x00postgres\x00\x00"
	hello := binary.BigEndian.AppendUint32(nil, uint32(8+len(words)))
	hello = binary.BigEndian.AppendUint32(hello, 3<<16)
	if _, err := conn.Write(append(hello, words...)); err != nil {
		return false
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(conn, first); err != nil {
		return false
	}
	conn.Write([]byte{'X', 0, 0, 0, 4})
	return first[0] == 'R'
}
