import type { ForgeKind } from '../pull-request/pull-request-url.ts'
import type { ForgeAccess } from '../status/forge-request.ts'
import { giteaReverts } from './gitea-reverts.ts'
import { githubReverts } from './github-reverts.ts'
import { gitlabReverts } from './gitlab-reverts.ts'
import type { RevertRequests } from './revert-requests.ts'

const REQUESTS: Readonly<Record<ForgeKind, (access: ForgeAccess) => RevertRequests>> = {
  github: githubReverts,
  gitea: giteaReverts,
  gitlab: gitlabReverts,
}

export function revertRequestsOn(forge: ForgeKind, access: ForgeAccess): RevertRequests {
  return REQUESTS[forge](access)
}
