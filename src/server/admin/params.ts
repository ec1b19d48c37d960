/** Reads an id in a path; 0, an id that nothing has, for other text. */
export const numberOf = (given: string | undefined): number => (/^\d{1,15}$/.test(given ?? '') ? Number(given) : 0)
