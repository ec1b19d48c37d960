/** The largest sample of an audience: it is read and rendered recipient by recipient. */
export const MAX_SAMPLE = 10_000
/** The sample where none is asked for. */
export const USUAL_SAMPLE = 1000
