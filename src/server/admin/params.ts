/** An id in a path; 0, which nobody has, for a text that is none. */
export const numberOf = (given: string | undefined): number => (/^\d{1,15}$/.test(given ?? '') ? Number(given) : 0)
