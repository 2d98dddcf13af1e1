import { unitOfFile, unitOfScript } from '../../protocol/file-readers.ts'
import { AGENT_UNIT } from '../../protocol/names.ts'
import type { Trigger } from '../state/managed.ts'

/** A unit reads its own file and drop-ins when it starts. The agent's are read when that is started next: it cannot restart itself. */
export function readersOf(path: string): Trigger[] {
  const reader = unitOfFile(path) ?? unitOfScript(path)
  return reader === undefined || reader === AGENT_UNIT ? [] : [{ unit: reader, subjects: [path] }]
}
