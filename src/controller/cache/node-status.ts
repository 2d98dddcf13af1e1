/** What is read of `status` of a Node. */
export interface NodeStatus {
  readonly conditions?: readonly {
    readonly type: string
    readonly status: string
    readonly lastTransitionTime?: string
    readonly lastHeartbeatTime?: string
  }[]
  readonly addresses?: readonly { readonly type: string; readonly address: string }[]
  readonly nodeInfo?: {
    readonly kubeletVersion?: string
    readonly architecture?: string
    readonly osImage?: string
    readonly bootID?: string
  }
  readonly images?: readonly { readonly names?: readonly string[] }[]
  readonly capacity?: Readonly<Record<string, unknown>>
  readonly allocatable?: { readonly pods?: string }
}

/** Characters of what a kubelet says of its machine. */
export const MAX_FACT = 256
