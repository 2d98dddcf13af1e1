import { Writable } from 'node:stream'

/** What sends, and can be made to wait. */
export interface Flow {
  pause(): void
  resume(): void
}

/** Passes on to a stream that is read slowly, or not at all: what sends waits meanwhile, and nothing piles up here. */
export function passingTo(target: Writable, flow: () => Flow | undefined): Writable {
  return new Writable({
    write: (bytes, _, done) => {
      if (target.write(bytes)) return done()
      flow()?.pause()
      target.once('drain', () => {
        flow()?.resume()
        done()
      })
    },
  })
}
