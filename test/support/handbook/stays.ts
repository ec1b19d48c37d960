/** Begins something that stays up; the reader would do that in a terminal of its own. */
export const STAYS = /^(?:[A-Z_]+=\S+ )*(?:npx )?appsvc (serve|worker|sandbox|demo)\b(?!.*--(?:help|once))/
