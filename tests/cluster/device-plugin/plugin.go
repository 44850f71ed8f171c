package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

// Resource is the name under which the node counts the GPUs: that of NVIDIA's own plugin.
const Resource = "nvidia.com/gpu"

// Plugin answers the kubelet's questions. It keeps no state: which pod has which GPU is the kubelet's knowledge.
type Plugin struct {
	v1beta1.UnimplementedDevicePluginServer
	GPUs []string
}

func (p *Plugin) GetDevicePluginOptions(context.Context, *v1beta1.Empty) (*v1beta1.DevicePluginOptions, error) {
	return &v1beta1.DevicePluginOptions{}, nil
}

// ListAndWatch tells the list once, as it never changes, and holds the stream open: when it ends, the kubelet takes the
// GPUs for gone.
func (p *Plugin) ListAndWatch(_ *v1beta1.Empty, stream grpc.ServerStreamingServer[v1beta1.ListAndWatchResponse]) error {
	list := &v1beta1.ListAndWatchResponse{}
	for _, id := range p.GPUs {
		list.Devices = append(list.Devices, &v1beta1.Device{ID: id, Health: v1beta1.Healthy})
	}
	if err := stream.Send(list); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

// Allocate gives each container the variable by which NVIDIA's container runtime would know its GPUs.
func (p *Plugin) Allocate(_ context.Context, request *v1beta1.AllocateRequest) (*v1beta1.AllocateResponse, error) {
	response := &v1beta1.AllocateResponse{}
	for _, container := range request.ContainerRequests {
		for _, id := range container.DevicesIds {
			if !slices.Contains(p.GPUs, id) {
				return nil, fmt.Errorf("no such GPU: %q", id)
			}
		}
		ids := slices.Sorted(slices.Values(container.DevicesIds))
		response.ContainerResponses = append(response.ContainerResponses, &v1beta1.ContainerAllocateResponse{
			Envs: map[string]string{"NVIDIA_VISIBLE_DEVICES": strings.Join(ids, ",")},
		})
	}
	return response, nil
}
