import { AgentError } from '../agent-error.ts'
import type { UpcomingFiles } from '../resources/kind.ts'
import type { KubeletDropIns } from './config-drop-ins.ts'
import { healthzUrl, runtimeEndpoint } from './kubelet-flags.ts'
import type { KubeletTarget } from './layout.ts'

/**
 * The same kubelet, with the health endpoint and the runtime that files behind `--config-dir` say.
 * @param upcoming files that a plan writes or removes
 */
export async function withAnswers(
  kubelet: KubeletTarget,
  dropIns: KubeletDropIns,
  upcoming?: UpcomingFiles,
): Promise<KubeletTarget> {
  try {
    const [document, before] = [await dropIns.over(kubelet, upcoming), await dropIns.over(kubelet.before)]
    return {
      ...kubelet,
      healthz: healthzUrl(document, kubelet.args),
      healthzBefore: healthzUrl(before, kubelet.before.args),
      runtime: runtimeEndpoint(document, kubelet.args),
    }
  } catch (error) {
    // Files that cannot be read are none of ours.
    if (error instanceof AgentError) return kubelet
    throw error
  }
}
