package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

var gpus = []string{"GPU-a", "GPU-b"}

// fakeKubelet is the registration half of a kubelet: as a real one, it empties the folder when it starts.
type fakeKubelet struct {
	v1beta1.UnimplementedRegistrationServer
	server     *grpc.Server
	registered chan *v1beta1.RegisterRequest
}

func (k *fakeKubelet) Register(_ context.Context, request *v1beta1.RegisterRequest) (*v1beta1.Empty, error) {
	k.registered <- request
	return &v1beta1.Empty{}, nil
}

func startKubelet(t *testing.T, dir string) *fakeKubelet {
	t.Helper()
	sockets, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, socket := range sockets {
		if err := os.Remove(socket); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
	}
	listener, err := net.Listen("unix", filepath.Join(dir, "kubelet.sock"))
	if err != nil {
		t.Fatal(err)
	}
	kubelet := &fakeKubelet{server: grpc.NewServer(), registered: make(chan *v1beta1.RegisterRequest, 10)}
	v1beta1.RegisterRegistrationServer(kubelet.server, kubelet)
	go kubelet.server.Serve(listener)
	t.Cleanup(kubelet.server.Stop)
	return kubelet
}

func (k *fakeKubelet) waitRegistered(t *testing.T) *v1beta1.RegisterRequest {
	t.Helper()
	select {
	case request := <-k.registered:
		return request
	case <-time.After(10 * time.Second):
		t.Fatal("the plugin did not register")
		return nil
	}
}

// startSession returns the folder of sockets; the session ends with the test.
func startSession(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "plugin") // Not t.TempDir(): its long names do not fit a socket address.
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Session{Dir: dir, Plugin: &Plugin{GPUs: gpus}, Poll: 5 * time.Millisecond}.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			t.Error("the session did not end")
		}
		os.RemoveAll(dir)
	})
	return dir
}

func connect(t *testing.T, dir string) v1beta1.DevicePluginClient {
	t.Helper()
	connection, err := grpc.NewClient("unix://"+filepath.Join(dir, socketName),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return v1beta1.NewDevicePluginClient(connection)
}

func listed(t *testing.T, client v1beta1.DevicePluginClient) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	stream, err := client.ListAndWatch(ctx, &v1beta1.Empty{}, grpc.WaitForReady(true))
	if err != nil {
		t.Fatal(err)
	}
	response, err := stream.Recv()
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, device := range response.Devices {
		if device.Health != v1beta1.Healthy {
			t.Errorf("%s is %s", device.ID, device.Health)
		}
		ids = append(ids, device.ID)
	}
	return ids
}

func TestRegistersAndListsItsGPUs(t *testing.T) {
	dir := startSession(t)
	kubelet := startKubelet(t, dir)

	request := kubelet.waitRegistered(t)
	if request.ResourceName != "nvidia.com/gpu" || request.Endpoint != socketName || request.Version != "v1beta1" {
		t.Errorf("registered as %v", request)
	}
	if got := strings.Join(listed(t, connect(t, dir)), " "); got != "GPU-a GPU-b" {
		t.Errorf("listed %q", got)
	}
}

func TestWaitsForAKubeletThatStartsLate(t *testing.T) {
	dir := startSession(t)
	time.Sleep(50 * time.Millisecond)
	startKubelet(t, dir).waitRegistered(t)
}

func TestRegistersAgainAfterEveryKubeletRestart(t *testing.T) {
	dir := startSession(t)
	for range 3 {
		kubelet := startKubelet(t, dir)
		kubelet.waitRegistered(t)
		if got := len(listed(t, connect(t, dir))); got != 2 {
			t.Errorf("listed %d GPUs", got)
		}
		kubelet.server.Stop()
	}
}

func TestRegistersAgainWhenItsSocketIsRemoved(t *testing.T) {
	dir := startSession(t)
	kubelet := startKubelet(t, dir)
	kubelet.waitRegistered(t)
	if err := os.Remove(filepath.Join(dir, socketName)); err != nil {
		t.Fatal(err)
	}
	kubelet.waitRegistered(t)
}

func TestRegistersOnlyOnceWithOneKubelet(t *testing.T) {
	dir := startSession(t)
	kubelet := startKubelet(t, dir)
	kubelet.waitRegistered(t)
	time.Sleep(100 * time.Millisecond)
	if again := len(kubelet.registered); again != 0 {
		t.Errorf("registered %d times more", again)
	}
}

func TestTriesAgainWhenNobodyListensOnTheKubeletsSocket(t *testing.T) {
	dir := startSession(t)
	stale, err := net.Listen("unix", filepath.Join(dir, "kubelet.sock"))
	if err != nil {
		t.Fatal(err)
	}
	stale.(*net.UnixListener).SetUnlinkOnClose(false)
	stale.Close()
	time.Sleep(50 * time.Millisecond)
	startKubelet(t, dir).waitRegistered(t)
}

func TestAllocateNamesTheGPUsInTheEnvironment(t *testing.T) {
	for _, test := range []struct {
		ids  []string
		want string
	}{
		{[]string{"GPU-b"}, "GPU-b"},
		{[]string{"GPU-b", "GPU-a"}, "GPU-a,GPU-b"},
	} {
		response, err := (&Plugin{GPUs: gpus}).Allocate(context.Background(), &v1beta1.AllocateRequest{
			ContainerRequests: []*v1beta1.ContainerAllocateRequest{{DevicesIds: test.ids}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := response.ContainerResponses[0].Envs["NVIDIA_VISIBLE_DEVICES"]; got != test.want {
			t.Errorf("%v: got %q, want %q", test.ids, got, test.want)
		}
	}
}

func TestAllocateAnswersEachContainerOfThePod(t *testing.T) {
	response, err := (&Plugin{GPUs: gpus}).Allocate(context.Background(), &v1beta1.AllocateRequest{
		ContainerRequests: []*v1beta1.ContainerAllocateRequest{
			{DevicesIds: []string{"GPU-a"}}, {DevicesIds: []string{"GPU-b"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := len(response.ContainerResponses); got != 2 {
		t.Errorf("%d answers for 2 containers", got)
	}
}

func TestAllocateRefusesAGPUItDoesNotHave(t *testing.T) {
	_, err := (&Plugin{GPUs: gpus}).Allocate(context.Background(), &v1beta1.AllocateRequest{
		ContainerRequests: []*v1beta1.ContainerAllocateRequest{{DevicesIds: []string{"GPU-c"}}},
	})
	if err == nil || !strings.Contains(err.Error(), `"GPU-c"`) {
		t.Errorf("got %v", err)
	}
}
