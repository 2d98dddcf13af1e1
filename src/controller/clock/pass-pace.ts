/** How much longer than a pass the rest after it is: passes take a twentieth of the time at most, however many nodes there are. */
const REST = 19
/** Milliseconds. */
const LONGEST_REST = 250
/** Milliseconds of rest that may be owed: a commit's first passes are the longest, and all nodes wait for them. */
const CREDIT = 1_000

/**
 * A pass looks at every node, and each node that works has several changes: without a rest, a node would cost the more, the more nodes
 * there are. What changes meanwhile is one pass. After some quiet, the first passes owe their rest.
 */
export class PassPace {
  #rested = Number.NEGATIVE_INFINITY

  /**
   * @param took milliseconds of CPU that a pass used
   * @param now monotonic, at its end
   * @returns the monotonic time before which no other begins
   */
  after(took: number, now: number): number {
    this.#rested = Math.max(this.#rested + took, now) + Math.min(took * REST, LONGEST_REST)
    return this.#rested - CREDIT
  }
}
