package snapshot

// LastOOM returns the device whose request was the last to fail for want of memory, and the index of that event; nil if
// none failed. Events without times count as earlier than those with, and among them those of later devices as later.
func (s *Snapshot) LastOOM() (device *Device, event int) {
	latest := NoTime
	for i := range s.Devices {
		d := &s.Devices[i]
		for e := d.Events.Len() - 1; e >= 0; e-- {
			if d.Events.Action[e] != ActionOOM {
				continue
			}
			at := NoTime
			if d.Events.Time != nil {
				at = d.Events.Time[e]
			}
			if device == nil || at >= latest {
				device, event, latest = d, e, at
			}
			break
		}
	}
	return device, event
}

// FirstDevice returns the device to show first: the one that ran out of memory last, else the first with events, host
// memory counting as the last, else the first with segments; nil if there is none.
func (s *Snapshot) FirstDevice() *Device {
	if d, _ := s.LastOOM(); d != nil {
		return d
	}
	for i := range s.Devices {
		if s.Devices[i].Events.Len() > 0 {
			return &s.Devices[i]
		}
	}
	if s.Host != nil && (s.Host.Events.Len() > 0 || len(s.Devices) == 0) {
		return s.Host
	}
	if len(s.Devices) > 0 {
		return &s.Devices[0]
	}
	return nil
}
