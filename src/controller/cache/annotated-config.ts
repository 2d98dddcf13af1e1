import type { DesiredConfig } from '../../protocol/desired-config.ts'
import { parseDesiredConfig } from '../../protocol/desired-config.ts'

/** What an annotation assigns, or that nobody can read it. */
export interface AnnotatedConfig {
  readonly config?: DesiredConfig
  readonly malformed: boolean
  /** Names of the payloads that it speaks of. */
  readonly payloads: readonly string[]
}

export const NOTHING: AnnotatedConfig = { malformed: false, payloads: [] }

export function readAnnotatedConfig(annotation: string): AnnotatedConfig {
  try {
    const config = parseDesiredConfig(annotation)
    return { config, malformed: false, payloads: payloadsOf(config) }
  } catch {
    return { malformed: true, payloads: [] }
  }
}

function payloadsOf({ KUBELET_CONFIG, HOST_CONFIG, SECRET_CONFIG }: DesiredConfig): readonly string[] {
  return [KUBELET_CONFIG, HOST_CONFIG, SECRET_CONFIG].filter((name) => name !== undefined)
}
