/** A revision kept in the cluster cannot be used. Pools that need it stay as they are until it can be had from the repository. */
export class RevisionError extends Error {
  override readonly name = 'RevisionError'
}
