package zstddec

import "testing"

func BenchmarkDecode(b *testing.B) {
	for _, name := range []string{"noisy3", "planes3", "labels3", "floats3", "text3", "noisy1"} {
		frame := encoded()[name]
		n, _ := Bound(frame)
		dst := make([]byte, n)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				if _, err := Decode(dst, frame); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/half", func(b *testing.B) {
			for b.Loop() {
				if _, err := Decode(dst[:n/2], frame); err != ErrRoom {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/twin", func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				if _, err := twin(frame, dst[:0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
