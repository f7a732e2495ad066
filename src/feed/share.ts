/**
 * Lets callers who wait at the same moment share one question. A question is asked only after it was
 * handed in and never answered from an earlier round: that keeps answers fresh. While one round is
 * under way the next gathers, so at any load there is at most one round at a time.
 */

export function share<Question, Answer>(
  ask: (questions: readonly Question[]) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  let gathering: Round<Question, Answer> | undefined;
  let underWay = false;

  async function askRounds(): Promise<void> {
    underWay = true;
    while (gathering !== undefined) {
      const { questions, resolve, reject } = gathering;
      gathering = undefined;
      await ask(questions).then(resolve, reject);
    }
    underWay = false;
  }

  return (question) => {
    if (gathering === undefined) {
      gathering = { questions: [], ...Promise.withResolvers<Answer>() };
      // Requests that arrive together are read in one turn of the event loop: wait for its end.
      if (!underWay) setImmediate(askRounds);
    }
    gathering.questions.push(question);
    return gathering.promise;
  };
}

interface Round<Question, Answer> extends PromiseWithResolvers<Answer> {
  readonly questions: Question[];
}
