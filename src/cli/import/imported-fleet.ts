import { Option } from 'commander'
import { buildRepository, type ImportedRepository } from '../../import/build-repository.ts'
import type { CliIo } from '../cli-io.ts'
import { progressOn } from '../progress.ts'
import { readSubjects, type SubjectSource, type Subjects } from './read-subjects.ts'

export interface ImportedFleet extends ImportedRepository, Subjects {}

export function hostOption(): Option {
  return new Option(
    '--host <path>',
    'what "nodewave agent import" printed on a host, or a folder of such. Repeat the option for several',
  )
    .argParser((path: string, earlier: readonly string[]) => [...earlier, path])
    .default([], 'none')
}

/** Reads nodes and inventories; writes nothing. @throws {Error} when there is no node */
export async function importFleet(io: CliIo, source: SubjectSource): Promise<ImportedFleet> {
  const progress = progressOn(io)
  const read = await readSubjects(io, source, progress).finally(progress.end)
  if (read.subjects.length === 0)
    throw new Error('no nodes to import: the cluster has none; name a file with --nodes, or another cluster')
  return { ...read, ...buildRepository(read.subjects) }
}
