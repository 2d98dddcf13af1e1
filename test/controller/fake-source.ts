import type { FollowHead, HeadEvent, HeadSource } from '../../src/controller/revisions/head-source.ts'

/** A repository that tells what the test says; followed again, it begins with the last head. */
export class FakeSource implements HeadSource {
  #followers: ((event: HeadEvent) => void)[] = []
  #head: HeadEvent | undefined

  tell(event: HeadEvent): void {
    if (event.kind === 'head') this.#head = event
    for (const follower of this.#followers) follower(event)
  }

  /** How often it was asked to look at once. */
  looks = 0
  #looked: () => void = () => undefined

  look(): void {
    this.looks += 1
    this.#looked()
  }

  /** Resolves the next time it is. */
  looked(): Promise<void> {
    return new Promise((resolve) => {
      this.#looked = resolve
    })
  }

  /** From now on who comes hears that it cannot be reached. */
  loseContact(): void {
    this.#head = { kind: 'trouble', message: 'connection refused' }
  }

  /** From now on who comes hears nothing until something new is told, as from a server that takes its time. */
  hesitate(): void {
    this.#head = undefined
  }

  async *follow({ signal }: FollowHead): AsyncGenerator<HeadEvent> {
    const queue: HeadEvent[] = this.#head ? [this.#head] : []
    let wake: () => void = () => undefined
    this.#followers.push((event) => {
      queue.push(event)
      wake()
    })
    signal.addEventListener('abort', () => wake())
    while (!signal.aborted) {
      const event = queue.shift()
      if (event) yield event
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }
}
