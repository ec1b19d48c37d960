/** Style sheets are imported for their effect: esbuild puts them into one file. */
declare module '*.css' {}
