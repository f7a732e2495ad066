/** Why a server cannot start. Its message is a sentence for the operator. */
export class ServerFailure extends Error {
  override readonly name = 'ServerFailure';
}
