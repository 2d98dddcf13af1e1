import { Kinds } from '../../../src/agent/resources/kinds.ts'
import { readDocument } from '../../../src/agent/resources/read-document.ts'
import { projectConfigMap, projectSecret } from '../../../src/controller/cache/stored-config-map.ts'
import { parseHostDocument } from '../../../src/protocol/host-document.ts'
import { parseSecretDocument } from '../../../src/protocol/secret-document.ts'
import { readSops } from '../../../src/repo/sops-document.ts'
import { refuses } from './expected.ts'

const kinds = new Kinds()
const SAFE = JSON.stringify({ files: [{ path: '/etc/x', secret: true }] })

/** Payloads, and encrypted files. */
export function configMaps(input: Buffer): void {
  const text = input.toString()
  refuses(['ProtocolError'], () => parseHostDocument(text))
  refuses(['ProtocolError'], () => parseSecretDocument(text))
  refuses(['AgentError'], () => readDocument({ host: text }, kinds))
  refuses(['AgentError'], () => readDocument({ host: SAFE, secret: text }, kinds))
  // What it says is for people, and of its own words.
  refuses(['Error'], () => readSops(input))
  const metadata = { name: 'x', annotations: { 'nodewave.io/unneeded-since': text } }
  projectConfigMap({ metadata, data: { host: text } })
  projectSecret({ metadata, data: { secret: text } })
}
