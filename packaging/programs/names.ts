/** The file with the text of a program, which is an expression: a function with the parameters of a CommonJS module. */
export const textName = (program: string) => `${program}.cjs`

/** The file with what V8 has made of the text. */
export const compiledName = (program: string) => `${program}.compiled`

/** The part of the executable that says where its other large parts begin: JSON. */
export const PLACES = 'places.json'
