import { VERSION } from '../../protocol/version.ts'
import type { CliIo } from '../cli-io.ts'
import type { ClusterFlags } from '../cluster.ts'
import { type ImportedFleet, importFleet } from '../import/imported-fleet.ts'
import { withModelines } from './modelines.ts'
import { type CiForge, ciFile, schemaFiles } from './packaged-files.ts'
import { STARTER_DOCUMENTS } from './starter-documents.ts'
import { starterSettings } from './starter-settings.ts'

export interface InitSource extends ClusterFlags {
  readonly fromCluster?: true
  readonly host: readonly string[]
  readonly configz: boolean
  readonly ci?: CiForge
}

export interface InitContents {
  /** Text by path. */
  readonly files: Readonly<Record<string, string>>
  /** Of the cluster, where the repository is to say what its nodes run. */
  readonly fleet?: ImportedFleet
}

export async function initContents(io: CliIo, { fromCluster, ci, ...source }: InitSource): Promise<InitContents> {
  const fleet = fromCluster ? await importFleet(io, source) : undefined
  const settings = starterSettings(VERSION, fleet ? 'imported' : 'new')
  const documents = withModelines(fleet?.files ?? STARTER_DOCUMENTS)
  return {
    files: { ...documents, ...settings, ...(await schemaFiles()), ...(ci && (await ciFile(ci))) },
    ...(fleet && { fleet }),
  }
}
