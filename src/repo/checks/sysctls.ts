import { isSysctlFile } from '../../protocol/file-readers.ts'
import { type SysctlRefusal, stopsForwarding, sysctlLine, sysctlLoss, sysctlRefusal } from '../../protocol/sysctl-rules.ts'
import { type Draft, errorAt, type Loaded } from '../draft.ts'
import type { Problem } from '../problem.ts'
import type { FileEditsSpec } from '../schema/host-profile.ts'

/** Settings by which nodes would be lost, or that nobody could take back. */
export function checkSysctls({ documents }: Draft): Problem[] {
  const owners: Loaded<Owner>[] = [...documents.HostProfile.values(), ...documents.NodeOverride.values()]
  return owners.flatMap((owner) => [...judgeSettings(owner), ...judgeFiles(owner), ...judgeEdits(owner)])
}

interface Owner {
  readonly sysctls?: Readonly<Record<string, string | number>> | undefined
  readonly edits?: readonly FileEditsSpec[] | undefined
  readonly files?: readonly { readonly path: string; readonly content?: string | undefined }[] | undefined
}

function judgeSettings(owner: Loaded<Owner>): Problem[] {
  return Object.entries(owner.spec.sysctls ?? {}).flatMap(([name, value]) =>
    problem(owner, ['sysctls', name], { name, refusal: sysctlRefusal(name, String(value)) ?? sysctlLoss(name, String(value)) }),
  )
}

/** Of a plain file nodewave does not know the value before, and cannot give it back: a node that it cuts off stays cut off. */
function judgeFiles(owner: Loaded<Owner>): Problem[] {
  return (owner.spec.files ?? []).flatMap(({ path, content = '' }, index) =>
    (isSysctlFile(path) ? settingsIn(content) : []).flatMap(([name, value]) =>
      problem(owner, ['files', index, 'content'], { name, refusal: stopsForwarding(name, value) }),
    ),
  )
}

function judgeEdits(owner: Loaded<Owner>): Problem[] {
  return (owner.spec.edits ?? []).flatMap(({ path, blocks = [], lines = [] }, index) => {
    const text = [...blocks.map(({ content }) => content), ...lines].join('\n')
    return (isSysctlFile(path) ? settingsIn(text) : []).flatMap(([name, value]) =>
      problem(owner, ['edits', index], { name, refusal: stopsForwarding(name, value) }),
    )
  })
}

function problem(
  owner: Loaded<Owner>,
  path: (string | number)[],
  { name, refusal }: { readonly name: string; readonly refusal: SysctlRefusal | undefined },
): Problem[] {
  if (refusal === undefined) return []
  const { because, remedy } = refusal
  return [errorAt(owner, path, { reason: 'InvalidValue', message: `sysctl "${name}": ${because}`, remedy })]
}

function settingsIn(text: string): (readonly [name: string, value: string])[] {
  return text.split('\n').flatMap(sysctlLine)
}
