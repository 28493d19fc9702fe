package cache

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"strata/snapshot/hugepages"
)

// A coder walks through a snapshot, writing it or reading it. One walk serves both directions, so that they cannot
// differ. Numbers and texts go into the catalog; slices of numbers, which can have millions of items, become columns,
// of which the catalog has the lengths.
type coder struct {
	reading bool
	catalog []byte // written so far, or still to be read; texts that were read share its memory
	columns [][]byte
	budget  int64 // bytes that the snapshot may still take, when reading
	room    int64 // bytes of columns that are left in the entry
	err     error
}

var (
	errCatalog = errors.New("the catalog is damaged")
	errMemory  = errors.New("the columns take more memory than allowed")
)

func (c *coder) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// value codes anything in a snapshot.
func (c *coder) value(v reflect.Value) {
	if c.err != nil {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			c.value(v.Field(i))
		}
	case reflect.Bool:
		n := uint64(0)
		if v.Bool() {
			n = 1
		}
		if n = c.unsigned(n); n > 1 {
			c.fail(errCatalog)
		}
		if c.reading {
			v.SetBool(n == 1)
		}
	case reflect.Int, reflect.Int32, reflect.Int64:
		n := v.Int()
		n = int64(c.unsigned(uint64(n<<1) ^ uint64(n>>63)))
		if n = int64(uint64(n)>>1) ^ -(n & 1); c.reading {
			if v.SetInt(n); v.Int() != n {
				c.fail(errCatalog)
			}
		}
	case reflect.Uint8, reflect.Uint32, reflect.Uint64:
		if n := c.unsigned(v.Uint()); c.reading {
			if v.SetUint(n); v.Uint() != n {
				c.fail(errCatalog)
			}
		}
	case reflect.String:
		c.text(v)
	case reflect.Pointer:
		if c.length(1, v.IsNil()) >= 0 {
			if c.reading {
				v.Set(reflect.New(v.Type().Elem()))
			}
			c.value(v.Elem())
		}
	case reflect.Slice:
		c.slice(v)
	case reflect.Map:
		c.pairs(v)
	default:
		panic("cache: a snapshot has a " + v.Type().String())
	}
}

// charge takes n items of the given size from the budget.
func (c *coder) charge(n int, size uintptr) bool {
	if c.err == nil && int64(n) > c.budget/int64(size) {
		c.fail(errMemory)
	}
	c.budget -= int64(n) * int64(size)
	return c.err == nil
}

func (c *coder) unsigned(v uint64) uint64 {
	if !c.reading {
		c.catalog = binary.AppendUvarint(c.catalog, v)
		return v
	}
	v, n := binary.Uvarint(c.catalog)
	if n <= 0 {
		c.catalog = nil
		c.fail(errCatalog)
		return 0
	}
	c.catalog = c.catalog[n:]
	return v
}

func (c *coder) text(v reflect.Value) {
	n := c.unsigned(uint64(v.Len()))
	switch {
	case !c.reading:
		c.catalog = append(c.catalog, v.String()...)
	case n > uint64(len(c.catalog)):
		c.fail(errCatalog)
	default:
		v.SetString(unsafe.String(unsafe.SliceData(c.catalog), n))
		c.catalog = c.catalog[n:]
	}
}

// length codes the length of a slice; it returns -1 for nil.
func (c *coder) length(n int, isNil bool) int {
	v := uint64(n) + 1
	if isNil {
		v = 0
	}
	if v = c.unsigned(v); v > math.MaxInt {
		c.fail(errCatalog)
		v = 0
	}
	return int(v) - 1
}

// isPlain reports whether any bytes are a valid value of a type.
func isPlain(t reflect.Type) bool {
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			if !isPlain(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return t.Kind() >= reflect.Int && t.Kind() <= reflect.Uint64
}

// slice codes numbers as columns, any other items in the catalog.
func (c *coder) slice(v reflect.Value) {
	elem := v.Type().Elem()
	if isPlain(elem) {
		c.numbers(v)
		return
	}
	n := c.length(v.Len(), v.IsNil())
	if c.reading {
		if n > len(c.catalog) { // an item takes at least a byte
			c.fail(errCatalog)
		}
		if n < 0 || !c.charge(n, elem.Size()) {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
	}
	for i := range v.Len() {
		c.value(v.Index(i))
	}
}

// numbers codes a slice of plain items as a column.
func (c *coder) numbers(v reflect.Value) {
	size := v.Type().Elem().Size()
	n := c.length(v.Len(), v.IsNil())
	if c.reading && n >= 0 && c.charge(n, size) {
		if c.room -= int64(n) * int64(size); c.room < 0 {
			c.fail(errCatalog) // the entry does not hold all of the column
			return
		}
		words := hugepages.Make[uint64]((n*int(size) + 7) / 8) // half as many page faults in all of `strata summary`
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		if n > 0 {
			v.Set(reflect.SliceAt(v.Type().Elem(), unsafe.Pointer(&words[0]), n))
		}
	}
	if n > 0 && c.err == nil {
		c.columns = append(c.columns, unsafe.Slice((*byte)(v.UnsafePointer()), n*int(size)))
	}
}

// pairs codes a map as its keys, ascending, each with its value.
func (c *coder) pairs(v reflect.Value) {
	n := c.length(v.Len(), v.IsNil())
	if !c.reading {
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.Uint(), b.Uint()) })
		for _, key := range keys {
			c.value(key)
			c.value(v.MapIndex(key))
		}
		return
	}
	if n > len(c.catalog) {
		c.fail(errCatalog)
	}
	key, item := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
	if n < 0 || !c.charge(n, 3*item.Type().Size()) {
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), n))
	for range n {
		c.value(key)
		c.value(item)
		v.SetMapIndex(key, item)
	}
}
