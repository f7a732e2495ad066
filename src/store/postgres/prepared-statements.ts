/**
 * Names of statements that are prepared once for each connection, and what to do when they do not hold any more.
 */

import { DatabaseError, type QueryConfig } from 'pg';

export interface PreparedStatements {
  /** The question, under the name that its statement has now. */
  named<Question extends QueryConfig>(question: Question): Question;
  /** Runs work that asks such questions; a second time, if statements must be prepared again. */
  preparingAgain<T>(work: () => Promise<T>): Promise<T>;
}

/** SQLSTATE of "cached plan must not change result type". */
const OUTDATED_STATEMENT = '0A000';
/** A connection on which the statement was not prepared, and one on which somebody else prepared one of that name. */
const MISSING_STATEMENT = '26000';
const FOREIGN_STATEMENT = '42P05';

export function keepPreparedStatements(): PreparedStatements {
  /** How often statements had to be prepared again. */
  let generation = 0;
  /** Not so behind a pooler that gives each transaction another connection and knows nothing of statements. */
  let areStatementsKept = true;

  return {
    /**
     * After somebody altered the type of a column, PostgreSQL refuses to run statements that were prepared before.
     * Another name lets every connection prepare them again, and another text does so behind a pooler, which knows
     * statements by their text. Without a name, a statement is prepared each time.
     */
    named(question) {
      if (question.name === undefined) return question;
      if (!areStatementsKept) {
        const { name: _, ...unnamed } = question;
        return unnamed as typeof question;
      }
      if (generation === 0) return question;
      return {
        ...question,
        name: `${question.name}-${generation}`,
        text: `${question.text} -- ${generation}`,
      };
    },

    async preparingAgain(work) {
      const before = generation;
      try {
        return await work();
      } catch (error) {
        const code = error instanceof DatabaseError ? error.code : undefined;
        if (code === OUTDATED_STATEMENT) {
          if (generation === before) generation++;
        } else if (code === MISSING_STATEMENT || code === FOREIGN_STATEMENT) {
          areStatementsKept = false;
        } else throw error;
        return work();
      }
    },
  };
}
