import type { CliIo } from '../cli/cli-io.ts'
import type { Stage } from './stage.ts'

/** A part of the story that the demo tells; it stands on the parts before it. */
export interface Scene {
  readonly name: string
  /** What is about to happen, for people. */
  readonly title: string
  /** @returns what was checked at its end. @throws when something is not as it should be. */
  readonly play: (stage: Stage, io: CliIo) => Promise<string>
}
