/** Types of events that only phones send, beside those of `core` (docs/reference/device-protocol.md section 4). */
export const FOREGROUND = 'k.fg'
export const BACKGROUND = 'k.bg'
export const LOCATION = 'k.engage.locationUpdated'

/** Codes of what the client is (docs/reference/device-protocol.md section 5). */
export const REACT_NATIVE_SDK = 9
export const REACT_NATIVE_RUNTIME = 7
