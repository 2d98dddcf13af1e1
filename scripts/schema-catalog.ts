import { KNOWN_VERSIONS, minorOf } from '../src/repo/kubelet-knowledge/versions.ts'
import { SCHEMA_BASE } from './json-schemas.ts'

/**
 * The schemas in the format of schemastore.org, whose catalog takes the entry as it is. Fleets have files of any name: only
 * those match that say what they are, and others have a modeline.
 */
export function schemaCatalog(): object {
  const versions = KNOWN_VERSIONS.map((version) => [
    `1.${minorOf(version)}`,
    `${SCHEMA_BASE}/nodewave-1.${minorOf(version)}.json`,
  ])
  const entry = {
    name: 'nodewave',
    description: 'Fleet of Kubernetes nodes in Git: pools, kubelet versions, flags, configurations and host profiles',
    fileMatch: ['*.nodewave.yaml', '*.nodewave.yml'],
    url: `${SCHEMA_BASE}/nodewave.json`,
    versions: Object.fromEntries(versions),
  }
  return { $schema: 'https://json.schemastore.org/schema-catalog.json', version: 1, schemas: [entry] }
}
