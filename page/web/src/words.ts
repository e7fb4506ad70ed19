// What legends call things: the words of the one table that pictures and Python read too (look/look.json).

import table from "../../../look/look.json";

const { roles, words } = table;

export const WORDS = {
  old: roles.old.word,
  newcomer: roles.newcomer.word,
  projection: roles.projection.word,
  reconstruction: roles.reconstruction.word,
  arc: roles.arc.word,
  ...words,
};

/** What the places by a strategy are called. */
export const placedBy = (strategy: string): string => `${words.placed} ${strategy}`;
