/** An id in a path; what is none is an id that nobody has. */
export const numberOf = (given: string | undefined): number => (/^\d{1,15}$/.test(given ?? '') ? Number(given) : 0)
