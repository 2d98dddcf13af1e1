import type { DesiredConfig } from '../../protocol/desired-config.ts'
import { parseDesiredConfig } from '../../protocol/desired-config.ts'

/** What an annotation assigns, or that nobody can read it. */
export interface AnnotatedConfig {
  readonly config?: DesiredConfig
  readonly malformed: boolean
}

export const NOTHING: AnnotatedConfig = { malformed: false }

export function readAnnotatedConfig(annotation: string): AnnotatedConfig {
  try {
    return { config: parseDesiredConfig(annotation), malformed: false }
  } catch {
    return { malformed: true }
  }
}
