import { annotations } from './targets/annotations.ts'
import { configMaps } from './targets/config-maps.ts'
import { environmentFiles } from './targets/environment-files.ts'
import { flags } from './targets/flags.ts'
import { journals } from './targets/journals.ts'
import { packs } from './targets/packs.ts'
import { policies } from './targets/policies.ts'
import { protobuf } from './targets/protobuf.ts'
import { repositories } from './targets/repositories.ts'
import { signatures } from './targets/signatures.ts'
import { ssh } from './targets/ssh.ts'
import { webhooks } from './targets/webhooks.ts'

/** Takes any bytes; throws what it throws only when they show a mistake of ours. */
export type Target = (input: Buffer) => void | Promise<void>

/** By name; `corpus/NAME` has inputs to begin with. */
export const TARGETS: Readonly<Record<string, Target>> = {
  repositories,
  annotations,
  'config-maps': configMaps,
  packs,
  flags,
  'environment-files': environmentFiles,
  journals,
  policies,
  protobuf,
  signatures,
  ssh,
  webhooks,
}
