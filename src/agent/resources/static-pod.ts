import * as z from 'zod/mini'
import { type HostStaticPod, staticPods } from '../../protocol/static-pods.ts'
import { sha256Of } from '../sha256.ts'
import { defineKind } from './define-kind.ts'
import { fileBaselines, recaptureUnless, wholeFileBaseline } from './file-baseline.ts'
import { type FileChange, fileHands } from './file-hands.ts'
import type { Kind, ProofHands, Section } from './kind.ts'
import { judgeMirror, mirrorRecordFrom } from './mirror-judge.ts'
import { differOwnFile, type OwnFileSpec, ownFileBefore } from './own-file.ts'
import { readRegular } from './regular-file.ts'

export const STATIC_POD = 'static-pod'

const section: Section = {
  key: 'staticPods',
  schema: staticPods,
  managed: (pods: readonly HostStaticPod[]) => ({
    claims: pods.map(({ path }) => ({ kind: STATIC_POD, key: path })),
    triggers: [],
  }),
  resources: async (pods: readonly HostStaticPod[]) =>
    pods.map(({ path, content, ...pod }) => staticPod.of({ path, content, pod })),
}

const proof = z.object({ namespace: z.string(), name: z.string(), digest: z.string(), readySeconds: z.number() })
type PodProof = z.infer<typeof proof>

/** A manifest that the kubelet reads; without a pod it is as it was before. */
interface StaticPodSpec extends OwnFileSpec {
  readonly pod?: PodProof
}

type StaticPodChange = FileChange & { readonly pod?: PodProof | undefined }

/** Its environment may hold what others on the host should not read. */
const MODE = 0o600
const POLL = 2000

/** A pod that the kubelet runs from a file: it restarts nothing else, and its mirror pod proves it. */
export const staticPod: Kind<StaticPodSpec> = defineKind({
  name: STATIC_POD,
  ...fileHands,
  section,
  subject: ({ path }: StaticPodSpec) => path,
  observe: ({ path }, { files }) => readRegular(files, path),
  differ: ({ pod, ...spec }, actual): StaticPodChange | undefined => {
    const change = differOwnFile(spec, actual)
    if (change?.do !== 'write') return change
    return { ...change, ...(actual ? {} : { mode: MODE }), pod }
  },
  // The kubelet restarts the pod.
  disruption: () => 'restart',
  perform: fileHands.perform,
  proof: {
    reason: 'StaticPodNotReady',
    byNode: true,
    of: ({ pod }: StaticPodChange) => pod ?? null,
    complaint: async (data, host, signal) => {
      const pod = z.nullable(proof).parse(data)
      return pod === null ? undefined : complaintAbout(pod, host, signal)
    },
  },
  baseline: {
    ...fileBaselines,
    takesOver: wholeFileBaseline,
    giveBack: async (base, files, managed) => staticPod.of(await ownFileBefore(base, { files, managed })),
    recapture: (base, { spec: { content }, context }) => {
      const ours = content === undefined ? undefined : sha256Of(Buffer.from(content))
      return recaptureUnless(base, { isOurs: (sha256) => sha256 === ours, context })
    },
  },
})

/** @returns undefined as soon as the kubelet runs the pod of this manifest, and keeps it Ready. */
async function complaintAbout(
  { namespace, name, digest, readySeconds }: PodProof,
  { node, clock }: ProofHands,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const demand = { digest, within: readySeconds * 1000 }
  const what = `static pod "${namespace}/${name}"`
  for (let record = mirrorRecordFrom(clock.elapsed()); ; ) {
    const pod = await node.mirrorPod(namespace, name).catch(() => 'silent' as const)
    const found = judgeMirror(record, { at: clock.elapsed(), pod }, demand)
    record = found.record
    if (found.verdict.kind === 'ready') return undefined
    if (found.verdict.kind === 'failed') return `${what} is not Ready after ${readySeconds} s: ${found.verdict.why}`
    if (signal?.aborted) return `${what} was not Ready yet when the agent was to stop, or something newer was assigned`
    await clock.sleep(POLL, signal)
  }
}
