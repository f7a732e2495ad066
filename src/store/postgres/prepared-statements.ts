/**
 * Names of statements that are prepared once per connection, and recovery when they are no longer valid.
 */

import { DatabaseError } from 'pg';

export type PreparedStatements = ReturnType<typeof keepPreparedStatements>;

/** SQLSTATE of "cached plan must not change result type". */
const OUTDATED_STATEMENT = '0A000';
/** The statement was not prepared on this connection, or another statement was prepared under its name. */
const MISSING_STATEMENT = '26000';
const FOREIGN_STATEMENT = '42P05';

export function keepPreparedStatements() {
  /** How often statements had to be prepared again. */
  let generation = 0;
  /** False behind a pooler that gives each transaction another connection and does not track statements. */
  let areStatementsKept = true;

  return {
    /**
     * The question with the current name of its statement.
     *
     * When the type of a column has changed, PostgreSQL refuses to run statements that were prepared before. A new name
     * makes every connection prepare them again. A new text does the same behind a pooler, which identifies statements
     * by their text. Without a name, a statement is prepared each time.
     */
    named<Question extends { readonly name?: string | undefined; readonly text: string }>(
      question: Question,
    ): Question {
      if (question.name === undefined) return question;
      if (!areStatementsKept) {
        const { name: _, ...unnamed } = question;
        return unnamed as Question;
      }
      if (generation === 0) return question;
      return {
        ...question,
        name: `${question.name}-${generation}`,
        text: `${question.text} -- ${generation}`,
      };
    },

    /** Runs `work`, which asks such questions, and runs it again if statements must be prepared again. */
    async preparingAgain<T>(work: () => Promise<T>): Promise<T> {
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
